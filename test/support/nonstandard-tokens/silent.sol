// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Accounts, Coin} from "base.sol";

/// Balances are shares of a pool.
abstract contract Shares is Coin {
    uint256 internal shares;

    function pool() internal view virtual returns (uint256) {
        return supply;
    }

    function totalSupply() public view override returns (uint256) {
        return pool();
    }

    function balanceOf(address owner) public view override returns (uint256) {
        return shares == 0 ? 0 : balances[owner] * pool() / shares;
    }

    function _mint(address to, uint256 value) internal virtual override {
        uint256 added = shares == 0 ? value : value * shares / pool();
        balances[to] += added;
        shares += added;
        supply += value;
        emit Transfer(address(0), to, value);
    }

    function _burn(address from, uint256 value) internal virtual override {
        uint256 taken = value * shares / pool();
        balances[from] -= taken;
        shares -= taken;
        supply -= value;
        emit Transfer(from, address(0), value);
    }

    function _move(address from, address to, uint256 value) internal virtual override {
        uint256 moved = value * shares / pool();
        balances[from] -= moved;
        balances[to] += moved;
        emit Transfer(from, to, value);
    }
}

/// Rebases up and down with a custom event, as Ampleforth does.
contract Rebasing is Shares {
    constructor() Coin("Rebasing") {}

    event LogRebase(uint256 indexed epoch, uint256 totalSupply);

    function rebase(uint256 epoch, uint256 percent) external {
        supply = supply * percent / 100;
        emit LogRebase(epoch, supply);
    }
}

/// Rebases without any event.
contract RebasingSilently is Shares {
    constructor() Coin("Rebasing Silently") {}

    function rebase(uint256 percent) external {
        supply = supply * percent / 100;
    }
}

/// Shares of a pool that reports its rewards. Each transfer also emits the number of shares, as in stETH.
contract Staked is Shares {
    constructor() Coin("Staked") {}

    event TransferShares(address indexed from, address indexed to, uint256 value);
    event TokenRebased(uint256 pool);

    function _move(address from, address to, uint256 value) internal override {
        super._move(from, to, value);
        emit TransferShares(from, to, value * shares / pool());
    }

    function report(uint256 rewards) external {
        supply += rewards;
        emit TokenRebased(supply);
    }
}

/// Interest: every balance grows with every block, as the balances of Aave's tokens grow with time.
contract Interest is Coin("Interest") {
    uint256 private immutable start = block.number;

    function scale() private view returns (uint256) {
        return 10_000 + (block.number - start) * 7;
    }

    function balanceOf(address owner) public view override returns (uint256) {
        return balances[owner] * scale() / 10_000;
    }

    function totalSupply() public view override returns (uint256) {
        return supply * scale() / 10_000;
    }
}

/// Demurrage: every balance shrinks with time, but the supply does not.
contract Demurrage is Coin("Demurrage") {
    uint256 private immutable start = block.timestamp;

    function balanceOf(address owner) public view override returns (uint256) {
        return balances[owner] * 1_000_000 / (1_000_000 + (block.timestamp - start));
    }
}

/// An issuer seizes and destroys balances, with a custom event and no Transfer (USDT's destroyBlackFunds).
contract Seizing is Coin("Seizing") {
    event DestroyedBlackFunds(address from, uint256 value);

    function seize(address from) external {
        uint256 value = balances[from];
        balances[from] = 0;
        supply -= value;
        emit DestroyedBlackFunds(from, value);
    }
}

/// An issuer moves balances between holders without any event.
contract SeizingSilently is Coin("Seizing Silently") {
    function seize(address from, address to) external {
        uint256 value = balances[from] / 2;
        balances[from] -= value;
        balances[to] += value;
    }
}

/// An issuer mints to holders without any event.
contract SilentMinting is Coin("Silent Minting") {
    function mintSilently(address to, uint256 value) external {
        balances[to] += value;
        supply += value;
    }
}

/// A token that is migrated to another contract: every balance and the supply become 0, and are restored later.
contract Migrating is Coin("Migrating") {
    bool private isMigrated;

    function migrate() external {
        isMigrated = !isMigrated;
    }

    function balanceOf(address owner) public view override returns (uint256) {
        return isMigrated ? 0 : balances[owner];
    }

    function totalSupply() public view override returns (uint256) {
        return isMigrated ? 0 : supply;
    }
}

/// An airdrop to many accounts emits one custom event and no Transfer.
contract AirdropOneEvent is Coin("Airdrop One Event") {
    event Airdrop(address[] receivers, uint256 value);

    function airdrop(address[] calldata receivers, uint256 value) external {
        for (uint256 i = 0; i < receivers.length; i++) balances[receivers[i]] += value;
        supply += value * receivers.length;
        emit Airdrop(receivers, value);
    }
}

/// An airdrop to many accounts emits one Transfer of the sum, to the token itself.
contract AirdropOneTransfer is Coin("Airdrop One Transfer") {
    function airdrop(address[] calldata receivers, uint256 value) external {
        for (uint256 i = 0; i < receivers.length; i++) balances[receivers[i]] += value;
        supply += value * receivers.length;
        emit Transfer(address(0), address(this), value * receivers.length);
    }
}

/// An airdrop to many accounts in one transaction emits a Transfer for each.
contract AirdropMany is Coin("Airdrop Many") {
    function airdrop(address[] calldata receivers, uint256 value) external {
        for (uint256 i = 0; i < receivers.length; i++) _mint(receivers[i], value);
    }
}

/// No function emits an event.
contract NoEvents {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;
    uint256 public totalSupply;
    string public constant name = "No Events";
    string public constant symbol = "NONE";
    uint8 public constant decimals = 18;

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        totalSupply += value;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        balanceOf[msg.sender] -= value;
        balanceOf[to] += value;
        return true;
    }
}

/// A token that can be destroyed.
contract SelfDestructing is Coin("Self Destructing") {
    function destroy() external {
        selfdestruct(payable(msg.sender));
    }
}
