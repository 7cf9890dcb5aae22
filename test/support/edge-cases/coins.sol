// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// The base of the coins below: balances that equal the sum of the Transfer events.
abstract contract Ledger {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) internal balances;

    function balanceOf(address owner) public view virtual returns (uint256) {
        return balances[owner];
    }

    function mint(address to, uint256 value) external virtual {
        balances[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        balances[msg.sender] -= value;
        balances[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    /// Does not check allowances, to keep the tests short.
    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        balances[from] -= value;
        balances[to] += value;
        emit Transfer(from, to, value);
        return true;
    }

    function burn(address from, uint256 value) external {
        balances[from] -= value;
        emit Transfer(from, address(0), value);
    }
}

/// Balances are shares of a pool that grows and shrinks without a Transfer.
contract RebasingCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Rebase(uint256 pool);

    string public constant name = "Tide";
    string public constant symbol = "TIDE";
    uint8 public constant decimals = 18;
    mapping(address => uint256) private shares;
    uint256 private allShares;
    uint256 private pool;

    function balanceOf(address owner) public view returns (uint256) {
        return allShares == 0 ? 0 : shares[owner] * pool / allShares;
    }

    function mint(address to, uint256 value) external {
        uint256 added = allShares == 0 ? value : value * allShares / pool;
        shares[to] += added;
        allShares += added;
        pool += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        uint256 moved = value * allShares / pool;
        shares[msg.sender] -= moved;
        shares[to] += moved;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    function rebase(uint256 newPool) external {
        pool = newPool;
        emit Rebase(newPool);
    }
}

/// Takes a fee of 5 %; the Transfer reports the amount before the fee.
contract UnreportedFeeCoin is Ledger {
    string public constant name = "Toll";
    string public constant symbol = "TOLL";
    uint8 public constant decimals = 18;

    function transfer(address to, uint256 value) external override returns (bool) {
        balances[msg.sender] -= value;
        balances[to] += value - value / 20;
        balances[address(this)] += value / 20;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// Takes a fee of 5 %, with a separate Transfer for the fee.
contract ReportedFeeCoin is Ledger {
    string public constant name = "Honest Toll";
    string public constant symbol = "HTOLL";
    uint8 public constant decimals = 18;

    function transfer(address to, uint256 value) external override returns (bool) {
        balances[msg.sender] -= value;
        balances[to] += value - value / 20;
        balances[address(this)] += value / 20;
        emit Transfer(msg.sender, to, value - value / 20);
        emit Transfer(msg.sender, address(this), value / 20);
        return true;
    }
}

/// Emits arbitrary Transfers; all balances are 0.
contract PhishingCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public constant name = "USD Coin";
    string public constant symbol = "USDC";
    uint8 public constant decimals = 6;

    function balanceOf(address) external pure returns (uint256) {
        return 0;
    }

    function claim(address from, address to, uint256 value) external {
        emit Transfer(from, to, value);
    }
}

/// balanceOf returns the same large amount for every account.
contract ConstantBalanceCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    string public constant name = "Fortune";
    string public constant symbol = "RICH";
    uint8 public constant decimals = 18;

    function balanceOf(address) external pure returns (uint256) {
        return 1_000_000 ether;
    }

    function airdrop(address to, uint256 value) external {
        emit Transfer(address(0), to, value);
    }
}

/// Unchecked arithmetic, as before Solidity 0.8: balances overflow and underflow.
contract OverflowingCoin is Ledger {
    string public constant name = "Round";
    string public constant symbol = "RND";
    uint8 public constant decimals = 18;

    function mint(address to, uint256 value) external override {
        unchecked {
            balances[to] += value;
        }
        emit Transfer(address(0), to, value);
    }

    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        unchecked {
            balances[from] -= value;
            balances[to] += value;
        }
        emit Transfer(from, to, value);
        return true;
    }
}

/// A standard coin that can be destroyed.
contract MortalCoin is Ledger {
    string public constant name = "Mortal";
    string public constant symbol = "MRTL";
    uint8 public constant decimals = 18;

    function destroy(address payable beneficiary) external {
        selfdestruct(beneficiary);
    }
}

/// A coin that self-destructs in its constructor.
contract ShortLivedCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(address to, uint256 value) {
        emit Transfer(address(0), to, value);
        selfdestruct(payable(msg.sender));
    }
}

/// Returns arbitrary bytes for name, symbol and decimals; the single byte 0xfe makes the call revert.
contract RawMetadataCoin is Ledger {
    bytes private rawName;
    bytes private rawSymbol;
    bytes private rawDecimals;

    constructor(bytes memory nameResult, bytes memory symbolResult, bytes memory decimalsResult) {
        rawName = nameResult;
        rawSymbol = symbolResult;
        rawDecimals = decimalsResult;
    }

    function name() external view {
        returnBytes(rawName);
    }

    function symbol() external view {
        returnBytes(rawSymbol);
    }

    fallback() external {
        require(msg.sig == 0x313ce567);
        returnBytes(rawDecimals);
    }

    function returnBytes(bytes memory raw) private pure {
        require(raw.length != 1 || raw[0] != 0xfe);
        assembly {
            return(add(raw, 32), mload(raw))
        }
    }
}

/// The code that an account delegates to (EIP-7702): a token at the address of an externally owned account.
contract PersonalCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) private balances;

    function balanceOf(address owner) external view returns (uint256) {
        return balances[owner];
    }

    function mint(address to, uint256 value) external {
        balances[to] += value;
        emit Transfer(address(0), to, value);
    }
}

/// Emits arbitrary logs: topics that are not addresses, short data, arrays that exceed the data.
contract LogEmitter {
    function emitLog(bytes32[] calldata topics, bytes calldata data) external {
        bytes memory copy = data;
        assembly {
            let start := add(copy, 32)
            let size := mload(copy)
            let t := topics.offset
            switch topics.length
            case 0 { log0(start, size) }
            case 1 { log1(start, size, calldataload(t)) }
            case 2 { log2(start, size, calldataload(t), calldataload(add(t, 32))) }
            case 3 { log3(start, size, calldataload(t), calldataload(add(t, 32)), calldataload(add(t, 64))) }
            default {
                log4(start, size, calldataload(t), calldataload(add(t, 32)), calldataload(add(t, 64)), calldataload(add(t, 96)))
            }
        }
    }
}
