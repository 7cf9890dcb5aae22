// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// Self-destructs on request.
contract Mortal {
    constructor() payable {}

    receive() external payable {}

    function destroy(address payable beneficiary) external {
        selfdestruct(beneficiary);
    }
}

/// Reverts in its constructor.
contract RevertingConstructor {
    constructor() payable {
        revert();
    }
}

/// Self-destructs in its constructor and sends its value to the beneficiary.
contract SelfDestructingConstructor {
    constructor(address payable beneficiary) payable {
        selfdestruct(beneficiary);
    }
}

/// Moves native value in every way that the EVM offers, and makes calls that only appear to move it.
contract Mover {
    event Created(address created);

    constructor() payable {}

    receive() external payable {}

    function pay(address to, uint256 value) public payable {
        (bool done, ) = to.call{value: value}("");
        require(done);
    }

    function payMany(address[] calldata to, uint256 value) external payable {
        for (uint256 i = 0; i < to.length; i++) pay(to[i], value);
    }

    function payAndFail(address to, uint256 value) external payable {
        pay(to, value);
        revert();
    }

    /// A payment in a call that succeeds while its caller reverts has no effect.
    function payInRevertedCall(address to, uint256 value) external payable {
        try this.payAndFail(to, value) {} catch {}
    }

    /// The reverting caller is two calls above the payment.
    function payInNestedRevertedCall(address to, uint256 value) external payable {
        try this.nestAndFail(to, value) {} catch {}
        pay(to, value);
    }

    function nestAndFail(address to, uint256 value) external payable {
        this.nest(to, value);
        revert();
    }

    function nest(address to, uint256 value) external payable {
        pay(to, value);
    }

    function payMoreThanBalance(address to) external payable {
        (bool done, ) = to.call{value: address(this).balance + 1}("");
        require(!done);
    }

    /// The callee runs out of gas.
    function payWithoutGas(address to, uint256 value) external payable {
        (bool done, ) = to.call{value: value, gas: 10}(abi.encodeWithSignature("pay(address,uint256)", to, 1));
        require(!done);
    }

    function paySelf(uint256 value) external payable {
        pay(address(this), value);
    }

    function payMiner(uint256 value) external payable {
        pay(block.coinbase, value);
    }

    /// DELEGATECALL repeats the caller's value without moving it; payments of the delegated code come from this contract.
    function delegate(address code, address to, uint256 value) external payable {
        (bool done, ) = code.delegatecall(abi.encodeWithSignature("pay(address,uint256)", to, value));
        require(done);
    }

    /// The value of a CALLCODE goes from this contract to itself.
    function callCode(address code, uint256 value) external payable {
        assembly {
            if iszero(callcode(gas(), code, value, 0, 0, 0, 0)) { revert(0, 0) }
        }
    }

    function create(bytes memory initCode, uint256 value) public payable returns (address created) {
        assembly {
            created := create(value, add(initCode, 32), mload(initCode))
        }
        emit Created(created);
    }

    function create2(bytes memory initCode, uint256 value, bytes32 salt) public payable returns (address created) {
        assembly {
            created := create2(value, add(initCode, 32), mload(initCode), salt)
        }
        emit Created(created);
    }

    function createAndFail(bytes memory initCode, uint256 value) external payable {
        create(initCode, value);
        revert();
    }

    function createInRevertedCall(bytes memory initCode, uint256 value) external payable {
        try this.createAndFail(initCode, value) {} catch {}
    }

    /// Created, destroyed and paid in one transaction: the last payment is burnt.
    function createKillAndPay(bytes memory initCode, uint256 value, address payable beneficiary, uint256 lateValue) external payable {
        address created = create(initCode, value);
        Mortal(payable(created)).destroy(beneficiary);
        pay(created, lateValue);
    }

    /// An existing contract is destroyed and then paid in one transaction.
    function killAndPay(address payable mortal, address payable beneficiary, uint256 lateValue) external payable {
        Mortal(mortal).destroy(beneficiary);
        pay(mortal, lateValue);
    }

    function killTwice(address payable mortal, address payable beneficiary, uint256 lateValue) external payable {
        Mortal(mortal).destroy(beneficiary);
        pay(mortal, lateValue);
        Mortal(mortal).destroy(beneficiary);
    }

    function killAndFail(address payable mortal, address payable beneficiary) external payable {
        Mortal(mortal).destroy(beneficiary);
        revert();
    }

    function selfDestructInRevertedCall(address payable mortal, address payable beneficiary) external payable {
        try this.killAndFail(mortal, beneficiary) {} catch {}
    }
}
