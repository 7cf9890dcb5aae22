// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Accounts, Coin, Erc20Functions, Metadata} from "base.sol";

/// Fee on transfer: the receiver gets less than the event reports, the token contract retains the rest.
contract UnreportedFee is Coin("Unreported Fee") {
    function _move(address from, address to, uint256 value) internal override {
        balances[from] -= value;
        balances[to] += value - value / 10;
        balances[address(this)] += value / 10;
        emit Transfer(from, to, value);
    }
}

/// Fee on transfer that is burnt, with an event for each part.
contract FeeBurnt is Coin("Fee Burnt") {
    function _move(address from, address to, uint256 value) internal override {
        super._move(from, to, value - value / 10);
        _burn(from, value / 10);
    }
}

/// Fee on transfer that goes to 0x0 and stays in the supply, with an event for each part.
contract FeeToZero is Coin("Fee To Zero") {
    function _move(address from, address to, uint256 value) internal override {
        super._move(from, to, value - value / 10);
        super._move(from, address(0), value / 10);
    }
}

/// Fee on top: the sender pays more than the event reports.
contract FeeOnTop is Coin("Fee On Top") {
    function _move(address from, address to, uint256 value) internal override {
        balances[from] -= value + value / 10;
        balances[to] += value;
        balances[address(0xfee)] += value / 10;
        emit Transfer(from, to, value);
    }
}

/// Fee on transfer that is distributed among all holders without an event (a "reflection").
contract Reflection is Coin("Reflection") {
    uint256 private shares;

    function balanceOf(address owner) public view override returns (uint256) {
        return shares == 0 ? 0 : balances[owner] * supply / shares;
    }

    function _mint(address to, uint256 value) internal override {
        uint256 added = shares == 0 ? value : value * shares / supply;
        balances[to] += added;
        shares += added;
        supply += value;
        emit Transfer(address(0), to, value);
    }

    function _burn(address from, uint256 value) internal override {
        uint256 taken = value * shares / supply;
        balances[from] -= taken;
        shares -= taken;
        supply -= value;
        emit Transfer(from, address(0), value);
    }

    function _move(address from, address to, uint256 value) internal override {
        uint256 moved = value * shares / supply;
        balances[from] -= moved;
        balances[to] += moved - moved / 20;
        shares -= moved / 20;
        emit Transfer(from, to, value);
    }
}

/// An amount of 2^256 - 1 means the sender's entire balance; the event reports the moved amount.
contract MaxMeansAll is Coin("Max Means All") {
    function _move(address from, address to, uint256 value) internal override {
        super._move(from, to, value == type(uint256).max ? balances[from] : value);
    }
}

/// A transfer of more than the balance moves the entire balance, and the event reports the requested amount.
contract CapsAtBalance is Coin("Caps At Balance") {
    function _move(address from, address to, uint256 value) internal override {
        uint256 moved = value > balances[from] ? balances[from] : value;
        balances[from] -= moved;
        balances[to] += moved;
        emit Transfer(from, to, value);
    }
}

/// The first mint locks 1000 at 0x0 with Transfer(0, 0, 1000), as the pools of Uniswap V2 do.
contract MinimumLiquidity is Coin("Minimum Liquidity") {
    function _mint(address to, uint256 value) internal override {
        if (supply == 0) super._mint(address(0), 1000);
        super._mint(to, value);
    }
}

/// Tokens that are sent to 0x0 stay in its balance and in the supply. Burning emits only Burn.
contract ZeroAddressHolds is Coin("Zero Address Holds") {
    event Burn(address indexed from, uint256 value);

    function _burn(address from, uint256 value) internal override {
        balances[from] -= value;
        supply -= value;
        emit Burn(from, value);
    }
}

/// Burning removes a balance but never lowers the supply.
contract SupplyNeverFalls is Coin("Supply Never Falls") {
    function _burn(address from, uint256 value) internal override {
        balances[from] -= value;
        emit Transfer(from, address(0), value);
    }
}

/// The constructor assigns the entire supply to the deployer without an event.
contract SupplyWithoutEvent is Coin("Supply Without Event") {
    constructor() {
        balances[msg.sender] = 10 ** 24;
        supply = 10 ** 24;
    }
}

/// Minting emits only Mint, without a Transfer.
contract MintWithoutTransfer is Coin("Mint Without Transfer") {
    event Mint(address indexed to, uint256 value);

    function _mint(address to, uint256 value) internal override {
        balances[to] += value;
        supply += value;
        emit Mint(to, value);
    }
}

/// Deposits and withdrawals of the native token without a Transfer, as WETH9 does; the supply is the native balance of the contract.
contract Wrapped is Coin("Wrapped") {
    event Deposit(address indexed to, uint256 value);
    event Withdrawal(address indexed from, uint256 value);

    function deposit() external payable {
        balances[msg.sender] += msg.value;
        emit Deposit(msg.sender, msg.value);
    }

    function withdraw(uint256 value) external {
        balances[msg.sender] -= value;
        emit Withdrawal(msg.sender, value);
        payable(msg.sender).transfer(value);
    }

    function totalSupply() public view override returns (uint256) {
        return address(this).balance;
    }

    function _mint(address, uint256) internal pure override {
        revert("deposit instead");
    }

    function _burn(address, uint256) internal pure override {
        revert("withdraw instead");
    }
}

/// A transfer to self creates tokens: both balances are read before either is written.
contract SelfTransferMints is Coin("Self Transfer Mints") {
    function _move(address from, address to, uint256 value) internal override {
        uint256 before = balances[to];
        balances[from] -= value;
        balances[to] = before + value;
        emit Transfer(from, to, value);
    }
}

/// Balances overflow and underflow, as before Solidity 0.8.
contract Overflowing is Coin("Overflowing") {
    function _mint(address to, uint256 value) internal override {
        unchecked {
            balances[to] += value;
            supply += value;
        }
        emit Transfer(address(0), to, value);
    }

    function _move(address from, address to, uint256 value) internal override {
        unchecked {
            balances[from] -= value;
            balances[to] += value;
        }
        emit Transfer(from, to, value);
    }
}

/// Amounts and allowances have 96 bits: larger ones revert, and an unlimited allowance is 2^96 - 1.
contract Uint96 is Coin("Uint96") {
    modifier fits(uint256 value) {
        require(value < 2 ** 96, "exceeds 96 bits");
        _;
    }

    function _mint(address to, uint256 value) internal override fits(value) fits(supply + value) {
        super._mint(to, value);
    }

    function _move(address from, address to, uint256 value) internal override fits(value) {
        super._move(from, to, value);
    }

    function _approve(address owner, address spender, uint256 value) internal override {
        uint256 stored = value == type(uint256).max ? 2 ** 96 - 1 : value;
        require(stored < 2 ** 96, "exceeds 96 bits");
        super._approve(owner, spender, stored);
    }

    function _spend(address owner, address spender, uint256 value) internal override {
        if (allowed[owner][spender] != 2 ** 96 - 1) _approve(owner, spender, allowed[owner][spender] - value);
    }
}

/// Flash mints with events: the minted amount is burnt in the same transaction.
contract FlashMinting is Coin("Flash Minting") {
    function flash(address borrower, address receiver, uint256 value) external {
        _mint(borrower, value);
        _move(borrower, receiver, value / 2);
        _move(receiver, borrower, value / 2);
        _burn(borrower, value);
    }
}

/// Flash mints in which only the transfers emit events, not the mint and the burn.
contract UnreportedFlashMint is Coin("Unreported Flash Mint") {
    function flash(address borrower, address receiver, uint256 value) external {
        balances[borrower] += value;
        supply += value;
        _move(borrower, receiver, value / 2);
        balances[borrower] -= value - value / 2;
        balances[receiver] -= value / 2;
        supply -= value;
    }
}

/// Shares of a vault (ERC-4626): exact events, and a price that changes when assets are transferred to the vault.
contract Vault is Coin("Vault") {
    event Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares);
    event Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares);

    Erc20Functions public immutable asset;

    constructor(Erc20Functions underlying) {
        asset = underlying;
    }

    function totalAssets() public view returns (uint256) {
        return asset.balanceOf(address(this));
    }

    /// Needs no approval, because any account can mint the asset of the tests.
    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        uint256 all = totalAssets();
        shares = supply == 0 || all == 0 ? assets : assets * supply / all;
        asset.mint(address(this), assets);
        _mint(receiver, shares);
        emit Deposit(msg.sender, receiver, assets, shares);
    }

    function redeem(uint256 shares, address receiver) external returns (uint256 assets) {
        assets = shares * totalAssets() / supply;
        _burn(msg.sender, shares);
        asset.transfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, msg.sender, assets, shares);
    }

    function gain(uint256 assets) external {
        asset.mint(address(this), assets);
    }
}

/// The native token as an ERC-20 token: its balances are the native balances of the accounts, which change with every fee that they pay.
contract NativeAsToken is Accounts, Metadata("Native As Token") {
    function balanceOf(address owner) public view override returns (uint256) {
        return owner.balance;
    }

    function totalSupply() external pure returns (uint256) {
        return 10 ** 28;
    }

    function send(address payable to) external payable {
        to.transfer(msg.value);
        emit Transfer(msg.sender, to, msg.value);
    }
}
