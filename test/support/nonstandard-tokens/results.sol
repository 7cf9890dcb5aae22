// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Accounts, Coin, Erc20Functions, Metadata} from "base.sol";

/// transfer, transferFrom and approve return nothing, as in USDT.
contract MissingReturn is Accounts, Metadata("Missing Return") {
    function totalSupply() external view returns (uint256) {
        return supply;
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function transfer(address to, uint256 value) external {
        _move(msg.sender, to, value);
    }

    function transferFrom(address from, address to, uint256 value) external {
        _spend(from, msg.sender, value);
        _move(from, to, value);
    }

    function approve(address spender, uint256 value) external {
        _approve(msg.sender, spender, value);
    }
}

/// transfer returns false on success, as in Tether Gold.
contract ReturnsFalse is Coin("Returns False") {
    function transfer(address to, uint256 value) external override returns (bool) {
        _move(msg.sender, to, value);
        return false;
    }
}

/// Failed transfers do not revert: they return false and have no effect.
contract NoRevert is Coin("No Revert") {
    function transfer(address to, uint256 value) external override returns (bool) {
        if (balances[msg.sender] < value) return false;
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        if (balances[from] < value || allowed[from][msg.sender] < value) return false;
        _spend(from, msg.sender, value);
        _move(from, to, value);
        return true;
    }
}

/// A failed transfer does not revert: it emits its event, although it moves nothing.
contract EventOnFailure is Coin("Event On Failure") {
    function _move(address from, address to, uint256 value) internal override {
        if (balances[from] >= value) {
            balances[from] -= value;
            balances[to] += value;
        }
        emit Transfer(from, to, value);
    }
}

/// Results as in early Vyper contracts: transfer returns a number instead of a bool, decimals is a uint256, and name is a fixed array.
contract VyperLike is Accounts {
    uint256 public constant decimals = 18;

    function name() external pure returns (bytes32[3] memory) {
        return [bytes32(uint256(32)), bytes32(uint256(6)), bytes32("Vyper ")];
    }

    function symbol() external pure returns (bytes32[3] memory) {
        return [bytes32(uint256(32)), bytes32(uint256(2)), bytes32("VY")];
    }

    function totalSupply() external view returns (uint256) {
        return supply;
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function transfer(address to, uint256 value) external returns (uint256) {
        _move(msg.sender, to, value);
        return 1;
    }

    function transferFrom(address from, address to, uint256 value) external returns (uint256) {
        _spend(from, msg.sender, value);
        _move(from, to, value);
        return 1;
    }

    function approve(address spender, uint256 value) external returns (uint256) {
        _approve(msg.sender, spender, value);
        return 1;
    }
}

/// Name and symbol are bytes32 values, as in MKR.
contract Bytes32Metadata is Erc20Functions {
    bytes32 public constant name = "Bytes32 Metadata";
    bytes32 public constant symbol = "B32";
    uint256 public constant decimals = 18;

    function totalSupply() external view returns (uint256) {
        return supply;
    }
}

/// No decimals: the smallest unit is a whole token.
contract ZeroDecimals is Coin("Zero Decimals") {
    function decimals() public pure override returns (uint8) {
        return 0;
    }
}

/// 255 decimals: no amount that fits a word is a whole token.
contract ManyDecimals is Coin("Many Decimals") {
    function decimals() public pure override returns (uint8) {
        return 255;
    }
}

/// name, symbol and decimals revert.
contract MetadataReverts is Coin("") {
    function name() public pure override returns (string memory) {
        revert("no name");
    }

    function symbol() public pure override returns (string memory) {
        revert("no symbol");
    }

    function decimals() public pure override returns (uint8) {
        revert("no decimals");
    }
}

/// A token without the optional functions of ERC-20.
contract NoMetadata is Erc20Functions {
    function totalSupply() external view returns (uint256) {
        return supply;
    }
}

/// A name of 100,000 letters.
contract HugeName is Coin("") {
    function name() public pure override returns (string memory) {
        bytes memory text = new bytes(100_000);
        for (uint256 i = 0; i < text.length; i += 1_000) text[i] = "N";
        return string(text);
    }
}

/// A name with a formula, markup, a terminal escape sequence and right-to-left text; a symbol that is not valid UTF-8.
contract HostileName is Coin("") {
    function name() public pure override returns (string memory) {
        return unicode"=cmd|'/c calc'!A1<script>alert(1)</script>\u001b[2J\u202eevil\u0000";
    }

    function symbol() public pure override returns (string memory) {
        return string(bytes.concat(bytes4(0xfffe80c0)));
    }
}

/// A token without totalSupply.
contract NoTotalSupply is Erc20Functions, Metadata("No Total Supply") {}

/// totalSupply reverts.
contract SupplyReverts is Coin("Supply Reverts") {
    function totalSupply() public pure override returns (uint256) {
        revert("no supply");
    }
}

/// totalSupply is a constant unrelated to the balances.
contract ConstantSupply is Coin("Constant Supply") {
    function totalSupply() public pure override returns (uint256) {
        return 21_000_000 * 10 ** 18;
    }
}

/// balanceOf reverts for hidden accounts.
contract BalanceReverts is Coin("Balance Reverts") {
    mapping(address => bool) private hidden;

    function hide(address account) external {
        hidden[account] = true;
    }

    function balanceOf(address owner) public view override returns (uint256) {
        require(!hidden[owner], "hidden");
        return balances[owner];
    }
}

/// balanceOf consumes all gas for hidden accounts.
contract BalanceUsesAllGas is Coin("Balance Uses All Gas") {
    mapping(address => bool) private hidden;

    function hide(address account) external {
        hidden[account] = true;
    }

    function balanceOf(address owner) public view override returns (uint256) {
        if (hidden[owner]) assembly { invalid() }
        return balances[owner];
    }
}

/// balanceOf returns two words, the balance and the block number; ABI decoders use the first.
contract LongResult is Accounts, Metadata("Long Result") {
    function totalSupply() external view returns (uint256, uint256) {
        return (supply, block.number);
    }

    function balanceOf(address owner) public view override returns (uint256) {
        uint256 amount = balances[owner];
        assembly {
            mstore(0, amount)
            mstore(32, number())
            return(0, 64)
        }
    }

    function mint(address to, uint256 value) external {
        _mint(to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }
}

/// balanceOf reverts for 0x0, as ERC-721 requires of collections; burns still transfer to 0x0.
contract ZeroBalanceReverts is Coin("Zero Balance Reverts") {
    function balanceOf(address owner) public view override returns (uint256) {
        require(owner != address(0), "zero address");
        return balances[owner];
    }
}
