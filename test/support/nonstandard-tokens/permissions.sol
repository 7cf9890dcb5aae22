// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Accounts, Coin} from "base.sol";

/// A blocklist: listed accounts can neither send nor receive.
contract Blocklist is Coin("Blocklist") {
    event Blocked(address indexed account, bool isBlocked);

    mapping(address => bool) private blocked;

    function setBlocked(address account, bool isBlocked) external {
        blocked[account] = isBlocked;
        emit Blocked(account, isBlocked);
    }

    function _move(address from, address to, uint256 value) internal override {
        require(!blocked[from] && !blocked[to], "blocked");
        super._move(from, to, value);
    }
}

/// A token that can be paused; transfers revert while it is paused.
contract Pausable is Coin("Pausable") {
    event Paused(bool isPaused);

    bool private isPaused;

    function setPaused(bool value) external {
        isPaused = value;
        emit Paused(value);
    }

    function _move(address from, address to, uint256 value) internal override {
        require(!isPaused, "paused");
        super._move(from, to, value);
    }
}

/// Transfers of 0 revert.
contract NoZeroTransfer is Coin("No Zero Transfer") {
    function _move(address from, address to, uint256 value) internal override {
        require(value > 0, "zero amount");
        super._move(from, to, value);
    }
}

/// Approvals of 0 revert, so an allowance can be changed but never revoked.
contract NoZeroApproval is Coin("No Zero Approval") {
    function _approve(address owner, address spender, uint256 value) internal override {
        require(value > 0, "zero amount");
        super._approve(owner, spender, value);
    }
}

/// Transfers and approvals to 0x0 revert.
contract NoZeroAddress is Coin("No Zero Address") {
    function _move(address from, address to, uint256 value) internal override {
        require(to != address(0), "zero address");
        super._move(from, to, value);
    }

    function _approve(address owner, address spender, uint256 value) internal override {
        require(spender != address(0), "zero address");
        super._approve(owner, spender, value);
    }
}

/// Approval race protection: a non-zero allowance must be set to 0 before it is set to a different value.
contract RaceProtected is Coin("Race Protected") {
    function _approve(address owner, address spender, uint256 value) internal override {
        require(value == 0 || allowed[owner][spender] == 0, "set it to 0 first");
        super._approve(owner, spender, value);
    }
}

/// An allowance of 2^256 - 1 is never lowered; others are, without an event.
contract MaxAllowanceStays is Coin("Max Allowance Stays") {
    function _spend(address owner, address spender, uint256 value) internal override {
        if (allowed[owner][spender] != type(uint256).max) super._spend(owner, spender, value);
    }
}

/// Every use of an allowance emits an Approval of the remainder.
contract ApprovalOnUse is Coin("Approval On Use") {
    function _spend(address owner, address spender, uint256 value) internal override {
        _approve(owner, spender, allowed[owner][spender] - value);
    }
}

/// transferFrom of the caller's own tokens neither needs nor lowers an allowance.
contract SelfNeedsNoAllowance is Coin("Self Needs No Allowance") {
    function _spend(address owner, address spender, uint256 value) internal override {
        if (owner != spender) super._spend(owner, spender, value);
    }
}

/// transferFrom neither needs nor lowers an allowance.
contract AllowanceIgnored is Coin("Allowance Ignored") {
    function _spend(address, address, uint256) internal pure override {}
}

/// Approvals have no event; allowances are lowered as they are used.
contract SilentApproval is Coin("Silent Approval") {
    function _approve(address owner, address spender, uint256 value) internal override {
        allowed[owner][spender] = value;
    }
}

/// The Approval reports ten times the allowance.
contract InflatedApproval is Coin("Inflated Approval") {
    function _approve(address owner, address spender, uint256 value) internal override {
        allowed[owner][spender] = value / 10;
        emit Approval(owner, spender, value);
    }
}

/// An owner can revoke all allowances in one call, without an event.
contract RevokesAll is Coin("Revokes All") {
    mapping(address => uint256) private epoch;
    mapping(address => mapping(uint256 => mapping(address => uint256))) private allowances;

    function allowance(address owner, address spender) public view override returns (uint256) {
        return allowances[owner][epoch[owner]][spender];
    }

    function revokeAll() external {
        epoch[msg.sender] += 1;
    }

    function _approve(address owner, address spender, uint256 value) internal override {
        allowances[owner][epoch[owner]][spender] = value;
        emit Approval(owner, spender, value);
    }

    function _spend(address owner, address spender, uint256 value) internal override {
        allowances[owner][epoch[owner]][spender] -= value;
    }
}

/// The base of the two tokens with permits.
abstract contract WithPermits is Coin {
    mapping(address => uint256) public nonces;

    function DOMAIN_SEPARATOR() public view returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256(bytes(name())),
                keccak256("1"),
                block.chainid,
                address(this)
            )
        );
    }

    function check(address owner, bytes32 message, uint8 v, bytes32 r, bytes32 s) internal view {
        address signer = ecrecover(keccak256(abi.encodePacked(hex"1901", DOMAIN_SEPARATOR(), message)), v, r, s);
        require(signer != address(0) && signer == owner, "not the owner's signature");
    }
}

/// ERC-2612: another account submits the owner's signed approval.
contract Permit2612 is WithPermits {
    constructor() Coin("Permit 2612") {}

    function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external {
        require(block.timestamp <= deadline, "expired");
        bytes32 kind = keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
        check(owner, keccak256(abi.encode(kind, owner, spender, value, nonces[owner]++, deadline)), v, r, s);
        _approve(owner, spender, value);
    }
}

/// A permit like DAI's: it sets an unlimited allowance or none, without an event. An unlimited allowance is not lowered.
contract PermitSilent is WithPermits {
    constructor() Coin("Permit Silent") {}

    function permit(address holder, address spender, uint256 nonce, uint256 expiry, bool isAllowed, uint8 v, bytes32 r, bytes32 s) external {
        require(expiry == 0 || block.timestamp <= expiry, "expired");
        bytes32 kind = keccak256("Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)");
        require(nonce == nonces[holder]++, "unexpected nonce");
        check(holder, keccak256(abi.encode(kind, holder, spender, nonce, expiry, isAllowed)), v, r, s);
        allowed[holder][spender] = isAllowed ? type(uint256).max : 0;
    }

    function _spend(address owner, address spender, uint256 value) internal override {
        if (allowed[owner][spender] != type(uint256).max) super._spend(owner, spender, value);
    }
}

/// An upgradable token: calls are delegated to the code of another contract.
contract Proxy {
    // EIP-1967: keccak256("eip1967.proxy.implementation") - 1.
    bytes32 private constant slot = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address code) {
        assembly {
            sstore(slot, code)
        }
    }

    function upgrade(address code) external {
        assembly {
            sstore(slot, code)
        }
    }

    fallback() external payable {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let done := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch done
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// The code before an upgrade: a standard token.
contract UpgradeBefore is Coin("") {
    function name() public pure override returns (string memory) {
        return "Upgrading";
    }
}

/// The code after an upgrade: a fee that the event does not report, and balances in other units.
contract UpgradeAfter is Coin("") {
    function name() public pure override returns (string memory) {
        return "Upgraded";
    }

    function decimals() public pure override returns (uint8) {
        return 6;
    }

    function balanceOf(address owner) public view override returns (uint256) {
        return balances[owner] / 10;
    }

    function totalSupply() public view override returns (uint256) {
        return supply / 10;
    }

    function _move(address from, address to, uint256 value) internal override {
        balances[from] -= value * 10;
        balances[to] += value * 9;
        supply -= value;
        emit Transfer(from, to, value);
    }
}

/// A token with two addresses: calls to either move the same balances, and each address emits the events of its own calls.
contract TwoAddresses is Coin("Two Addresses") {
    SecondAddress public immutable second = new SecondAddress();

    function moveFor(address from, address to, uint256 value) external {
        require(msg.sender == address(second), "not the second address");
        balances[from] -= value;
        balances[to] += value;
    }
}

/// The second address of TwoAddresses.
contract SecondAddress {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Approval(address indexed owner, address indexed spender, uint256 value);

    TwoAddresses private immutable first = TwoAddresses(msg.sender);

    function name() external pure returns (string memory) {
        return "Second Address";
    }

    function symbol() external pure returns (string memory) {
        return "SECOND";
    }

    function decimals() external pure returns (uint8) {
        return 18;
    }

    function totalSupply() external view returns (uint256) {
        return first.totalSupply();
    }

    function balanceOf(address owner) external view returns (uint256) {
        return first.balanceOf(owner);
    }

    function allowance(address owner, address spender) external view returns (uint256) {
        return first.allowance(owner, spender);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        first.moveFor(msg.sender, to, value);
        emit Transfer(msg.sender, to, value);
        return true;
    }
}
