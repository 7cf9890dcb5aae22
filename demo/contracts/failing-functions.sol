// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Functions that fail: custom error, revert reason, panic, invalid opcode, and a revert after a payment.
contract FailingFunctions {
    error TooLittle(uint256 sent, uint256 wanted);

    function requireMore() external payable {
        revert TooLittle(msg.value, 1 ether);
    }

    function sayNo() external pure {
        revert("not today");
    }

    function divide(uint256 by) external pure returns (uint256) {
        return 1 / by;
    }

    function useAllGas() external pure {
        assembly {
            invalid()
        }
    }

    function payAndFail(address payable receiver) external payable {
        receiver.transfer(msg.value);
        revert("paid too soon");
    }
}
