contract A { uint x; }
