import "../cfa/empty.cfa";
contract A {}
