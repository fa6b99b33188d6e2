// expect: safe
abstract contract A { uint public v; constructor() { v = init(); } function init() internal virtual returns (uint); } contract C is A { uint k = 3; function init() internal view override returns (uint) { return k + 1; } function g() public view { assert(v == 4); } }
