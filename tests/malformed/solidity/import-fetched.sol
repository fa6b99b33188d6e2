import {B} from "https://localhost/b.sol";
contract A is B {}
