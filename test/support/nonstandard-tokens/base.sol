// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// The balances and allowances of the tokens below. The internal functions are exact and emit the events that ERC-20 requires.
abstract contract Accounts {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    mapping(address => uint256) internal balances;
    mapping(address => mapping(address => uint256)) internal allowed;
    uint256 internal supply;

    function balanceOf(address owner) public view virtual returns (uint256) {
        return balances[owner];
    }

    function allowance(address owner, address spender) public view virtual returns (uint256) {
        return allowed[owner][spender];
    }

    function _mint(address to, uint256 value) internal virtual {
        balances[to] += value;
        supply += value;
        emit Transfer(address(0), to, value);
    }

    function _burn(address from, uint256 value) internal virtual {
        balances[from] -= value;
        supply -= value;
        emit Transfer(from, address(0), value);
    }

    function _move(address from, address to, uint256 value) internal virtual {
        balances[from] -= value;
        balances[to] += value;
        emit Transfer(from, to, value);
    }

    function _spend(address owner, address spender, uint256 value) internal virtual {
        allowed[owner][spender] -= value;
    }

    function _approve(address owner, address spender, uint256 value) internal virtual {
        allowed[owner][spender] = value;
        emit Approval(owner, spender, value);
    }
}

/// A name, a symbol and 18 decimals.
abstract contract Metadata {
    string private label;

    constructor(string memory text) {
        label = text;
    }

    function name() public view virtual returns (string memory) {
        return label;
    }

    function symbol() public view virtual returns (string memory) {
        return label;
    }

    function decimals() public view virtual returns (uint8) {
        return 18;
    }
}

/// The functions of ERC-20 that change state, with public minting and burning, because the tests need no owner.
abstract contract Erc20Functions is Accounts {
    function mint(address to, uint256 value) external virtual {
        _mint(to, value);
    }

    function burn(uint256 value) external virtual {
        _burn(msg.sender, value);
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        _move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        _spend(from, msg.sender, value);
        _move(from, to, value);
        return true;
    }

    function approve(address spender, uint256 value) external virtual returns (bool) {
        _approve(msg.sender, spender, value);
        return true;
    }
}

/// A complete and exact ERC-20 token, of which the other tokens override parts.
abstract contract Coin is Erc20Functions, Metadata {
    constructor(string memory text) Metadata(text) {}

    function totalSupply() public view virtual returns (uint256) {
        return supply;
    }
}

/// A standard token, for comparison.
contract Plain is Coin("Plain") {}
