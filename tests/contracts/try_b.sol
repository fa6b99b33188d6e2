// expect: safe
pragma solidity >=0.8.0;
interface D { function d() external returns (uint); }
contract C {
    uint x; D d;
    function g() public { x = 1; uint y; try d.d() returns (uint v) { y = v; } catch Error(string memory) { y = 1; assert(y == 1); } catch Panic(uint) { y = 2; } catch (bytes memory) { y = 3; } assert(x == 1); }
}
