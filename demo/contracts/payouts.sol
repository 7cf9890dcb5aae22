// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";

/// Holds the value that it was created with; opening it pays the owner.
contract Box {
    address payable public immutable owner;

    constructor(address payable owner_) payable {
        owner = owner_;
    }

    function open() external {
        owner.transfer(address(this).balance);
    }
}

/// Forwards its value to the receiver by self-destructing in its constructor; EIP-6780 still deletes such contracts.
contract Courier {
    constructor(address payable receiver) payable {
        selfdestruct(receiver);
    }
}

/// Pays out its value in equal parts. It is also the implementation of the clones that `Payouts` creates.
contract Splitter {
    function split(address payable[] calldata receivers) external payable {
        uint256 part = msg.value / receivers.length;
        for (uint256 index = 0; index < receivers.length; index++) {
            receivers[index].transfer(part);
        }
    }
}

/// Moves native value by internal calls.
contract Payouts {
    mapping(address => uint256) public deposits;
    Splitter public immutable splitter = new Splitter();
    Splitter[] public clones;
    Box[] public boxes;

    error OnlyForItself();

    receive() external payable {
        deposits[msg.sender] += msg.value;
    }

    function withdraw(uint256 amount) external {
        deposits[msg.sender] -= amount;
        payable(msg.sender).transfer(amount);
    }

    /// A payment in a frame that reverts, followed by one that succeeds.
    function payOneOrOther(address payable undone, address payable paid) external payable {
        try this.payAndUndo{value: msg.value}(undone) {} catch {
            paid.transfer(msg.value);
        }
    }

    function payAndUndo(address payable receiver) external payable {
        receiver.transfer(msg.value);
        revert OnlyForItself();
    }

    function createBox() external payable {
        boxes.push(new Box{value: msg.value}(payable(msg.sender)));
    }

    function createBoxAt(bytes32 salt) external payable {
        boxes.push(new Box{value: msg.value, salt: salt}(payable(msg.sender)));
    }

    function openBox(uint256 index) external {
        boxes[index].open();
    }

    function sendByCourier(address payable receiver) external payable {
        new Courier{value: msg.value}(receiver);
    }

    function createClone() external {
        clones.push(Splitter(Clones.clone(address(splitter))));
    }
}
