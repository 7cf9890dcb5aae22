// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// A collection that predates the final EIP-721: no argument of its Transfer is indexed.
contract UnindexedArt {
    event Transfer(address from, address to, uint256 tokenId);

    string public constant name = "Old Art";
    string public constant symbol = "OLD";
    mapping(uint256 => address) public ownerOf;
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint256 id) external {
        ownerOf[id] = to;
        balanceOf[to] += 1;
        emit Transfer(address(0), to, id);
    }

    function transfer(address to, uint256 id) external {
        require(ownerOf[id] == msg.sender);
        ownerOf[id] = to;
        balanceOf[msg.sender] -= 1;
        balanceOf[to] += 1;
        emit Transfer(msg.sender, to, id);
    }

    function burn(uint256 id) external {
        address owner = ownerOf[id];
        ownerOf[id] = address(0);
        balanceOf[owner] -= 1;
        emit Transfer(owner, address(0), id);
    }
}

/// An ERC-1155 that checks balances only: batches may be empty, repeat an id, and go to their sender.
contract UncheckedEditions {
    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);

    mapping(address => mapping(uint256 => uint256)) private balances;

    function balanceOf(address owner, uint256 id) external view returns (uint256) {
        return balances[owner][id];
    }

    function move(address from, address to, uint256 id, uint256 value) external {
        if (from != address(0)) balances[from][id] -= value;
        if (to != address(0)) balances[to][id] += value;
        emit TransferSingle(msg.sender, from, to, id, value);
    }

    function moveBatch(address from, address to, uint256[] calldata ids, uint256[] calldata values) external {
        for (uint256 i = 0; i < ids.length; i++) {
            if (from != address(0)) balances[from][ids[i]] -= values[i];
            if (to != address(0)) balances[to][ids[i]] += values[i];
        }
        emit TransferBatch(msg.sender, from, to, ids, values);
    }
}

/// A coin and a collection in one contract, which emits the Transfers of both standards.
contract Hybrid {
    string public constant name = "Hybrid";
    string public constant symbol = "HYB";
    uint8 public constant decimals = 18;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public ownerOf;

    function moveCoins(address from, address to, uint256 value) external {
        if (from != address(0)) balanceOf[from] -= value;
        if (to != address(0)) balanceOf[to] += value;
        assembly {
            mstore(0, value)
            log3(0, 32, 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef, from, to)
        }
    }

    function moveArt(address to, uint256 id) external {
        address from = ownerOf[id];
        ownerOf[id] = to;
        assembly {
            log4(0, 0, 0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef, from, to, id)
        }
    }
}
