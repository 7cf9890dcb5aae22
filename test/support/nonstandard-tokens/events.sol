// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Accounts, Coin, Erc20Functions, Metadata} from "base.sol";

/// A Transfer with additional fields after its amount, in the same log.
contract AppendedData is Coin("Appended Data") {
    function emitTransfer(address from, address to, uint256 value) private {
        bytes memory data = abi.encode(value, block.number, bytes32("memo"));
        bytes32 topic = Transfer.selector;
        assembly {
            log3(add(data, 32), mload(data), topic, from, to)
        }
    }

    function _mint(address to, uint256 value) internal override {
        balances[to] += value;
        supply += value;
        emitTransfer(address(0), to, value);
    }

    function _burn(address from, uint256 value) internal override {
        balances[from] -= value;
        supply -= value;
        emitTransfer(from, address(0), value);
    }

    function _move(address from, address to, uint256 value) internal override {
        balances[from] -= value;
        balances[to] += value;
        emitTransfer(from, to, value);
    }
}

/// The base of tokens whose events have different indexed arguments than ERC-20's.
abstract contract OtherEvents is Metadata {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;

    function emitTransfer(address from, address to, uint256 value) internal virtual;

    function emitApproval(address owner, address spender, uint256 value) internal virtual;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        totalSupply += value;
        emitTransfer(address(0), to, value);
    }

    function burn(uint256 value) external {
        balanceOf[msg.sender] -= value;
        totalSupply -= value;
        emitTransfer(msg.sender, address(0), value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        emitTransfer(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emitTransfer(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emitApproval(msg.sender, spender, value);
        return true;
    }
}

/// All three arguments of Transfer and Approval are indexed, as in ERC-721.
contract AllIndexed is Metadata("All Indexed"), OtherEvents {
    event Transfer(address indexed from, address indexed to, uint256 indexed value);
    event Approval(address indexed owner, address indexed spender, uint256 indexed value);

    function emitTransfer(address from, address to, uint256 value) internal override {
        emit Transfer(from, to, value);
    }

    function emitApproval(address owner, address spender, uint256 value) internal override {
        emit Approval(owner, spender, value);
    }
}

/// No argument of Transfer and Approval is indexed.
contract NoneIndexed is Metadata("None Indexed"), OtherEvents {
    event Transfer(address from, address to, uint256 value);
    event Approval(address owner, address spender, uint256 value);

    function emitTransfer(address from, address to, uint256 value) internal override {
        emit Transfer(from, to, value);
    }

    function emitApproval(address owner, address spender, uint256 value) internal override {
        emit Approval(owner, spender, value);
    }
}

/// Only the sender of a Transfer is indexed.
contract SenderIndexed is Metadata("Sender Indexed"), OtherEvents {
    event Transfer(address indexed from, address to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function emitTransfer(address from, address to, uint256 value) internal override {
        emit Transfer(from, to, value);
    }

    function emitApproval(address owner, address spender, uint256 value) internal override {
        emit Approval(owner, spender, value);
    }
}

/// The Transfer reports twice the moved amount.
contract WrongAmounts is Coin("Wrong Amounts") {
    function _move(address from, address to, uint256 value) internal override {
        balances[from] -= value;
        balances[to] += value;
        emit Transfer(from, to, 2 * value);
    }
}

/// Emits arbitrary events for any accounts; all balances are 0.
contract Phishing is Metadata("Phishing") {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    function balanceOf(address) external pure returns (uint256) {
        return 0;
    }

    function totalSupply() external pure returns (uint256) {
        return 0;
    }

    function allowance(address, address) external pure returns (uint256) {
        return 0;
    }

    function claim(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }

    function claimApproval(address owner, address spender, uint256 value) external {
        emit Approval(owner, spender, value);
    }
}

/// A coin and a collection in one contract, as in ERC-404: each event has the shape of its standard, and `balanceOf` returns the coins.
contract CoinAndCollection is Coin("Coin And Collection") {
    mapping(uint256 => address) public ownerOf;

    function emitItem(address from, address to, uint256 id) private {
        bytes32 topic = Transfer.selector;
        assembly {
            log4(0, 0, topic, from, to, id)
        }
    }

    function mintItem(address to, uint256 id) external {
        require(ownerOf[id] == address(0), "exists");
        ownerOf[id] = to;
        _mint(to, 10 ** 18);
        emitItem(address(0), to, id);
    }

    function moveItem(address to, uint256 id) external {
        address from = ownerOf[id];
        ownerOf[id] = to;
        _move(from, to, 10 ** 18);
        emitItem(from, to, id);
    }
}

/// A coin and a collection in one contract. The collection emits Transfer and the coin a custom event, as in the first ERC-404 tokens.
contract CustomTransferEvent is Metadata("Custom Transfer Event") {
    event ERC20Transfer(address indexed from, address indexed to, uint256 amount);
    event Transfer(address indexed from, address indexed to, uint256 indexed id);

    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public ownerOf;
    uint256 public totalSupply;

    function move(address from, address to, uint256 value) private {
        if (from == address(0)) totalSupply += value;
        else balanceOf[from] -= value;
        balanceOf[to] += value;
        emit ERC20Transfer(from, to, value);
    }

    function mint(address to, uint256 value) external {
        move(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function mintItem(address to, uint256 id) external {
        require(ownerOf[id] == address(0), "exists");
        ownerOf[id] = to;
        move(address(0), to, 10 ** 18);
        emit Transfer(address(0), to, id);
    }

    function moveItem(address to, uint256 id) external {
        address from = ownerOf[id];
        ownerOf[id] = to;
        move(from, to, 10 ** 18);
        emit Transfer(from, to, id);
    }
}

interface TokenReceiver {
    function tokensReceived(address from, uint256 value) external;
}

/// Hooks as in ERC-777: the receiver's code runs in the middle of a transfer, before its event.
contract Hooks is Coin("Hooks") {
    event Sent(address indexed operator, address indexed from, address indexed to, uint256 amount, bytes data, bytes operatorData);

    function _move(address from, address to, uint256 value) internal override {
        balances[from] -= value;
        balances[to] += value;
        if (to.code.length > 0 && to != address(this)) TokenReceiver(to).tokensReceived(from, value);
        emit Sent(msg.sender, from, to, value, "", "");
        emit Transfer(from, to, value);
    }
}

/// Returns half of a received amount within the transfer, so that the events are emitted in reverse order.
contract ReentrantReceiver is TokenReceiver {
    bool private isInside;

    function tokensReceived(address from, uint256 value) external override {
        if (isInside) return;
        isInside = true;
        Erc20Functions(msg.sender).transfer(from, value / 2);
        isInside = false;
    }
}
