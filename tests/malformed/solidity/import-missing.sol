import * as b from "./not-there.sol";
contract A {}
