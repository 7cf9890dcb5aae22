// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

/// The honest part that the coins below share: amounts that their Transfer events tell.
abstract contract Ledger {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) internal held;

    function balanceOf(address owner) public view virtual returns (uint256) {
        return held[owner];
    }

    function mint(address to, uint256 value) external virtual {
        held[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        held[msg.sender] -= value;
        held[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }

    /// Needs no allowance: the tests move anybody's coins.
    function transferFrom(address from, address to, uint256 value) external virtual returns (bool) {
        held[from] -= value;
        held[to] += value;
        emit Transfer(from, to, value);
        return true;
    }

    function burn(address from, uint256 value) external {
        held[from] -= value;
        emit Transfer(from, address(0), value);
    }
}

/// Balances are shares of a pool that grows and shrinks without an event that ERC-20 knows.
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

/// Keeps a twentieth of what is sent and tells the whole amount.
contract TollCoin is Ledger {
    string public constant name = "Toll";
    string public constant symbol = "TOLL";
    uint8 public constant decimals = 18;

    function transfer(address to, uint256 value) external override returns (bool) {
        held[msg.sender] -= value;
        held[to] += value - value / 20;
        held[address(this)] += value / 20;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// Keeps a twentieth too, and says so.
contract HonestTollCoin is Ledger {
    string public constant name = "Honest Toll";
    string public constant symbol = "HTOLL";
    uint8 public constant decimals = 18;

    function transfer(address to, uint256 value) external override returns (bool) {
        held[msg.sender] -= value;
        held[to] += value - value / 20;
        held[address(this)] += value / 20;
        emit Transfer(msg.sender, to, value - value / 20);
        emit Transfer(msg.sender, address(this), value / 20);
        return true;
    }
}

/// Claims transfers between anybody, and nobody has anything.
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

/// Whoever asks is told of a fortune.
contract BraggingCoin {
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

/// Adds and subtracts as before Solidity 0.8: sums run over the end of a word.
contract WrappingCoin is Ledger {
    string public constant name = "Round";
    string public constant symbol = "RND";
    uint8 public constant decimals = 18;

    function mint(address to, uint256 value) external override {
        unchecked {
            held[to] += value;
        }
        emit Transfer(address(0), to, value);
    }

    function transferFrom(address from, address to, uint256 value) external override returns (bool) {
        unchecked {
            held[from] -= value;
            held[to] += value;
        }
        emit Transfer(from, to, value);
        return true;
    }
}

/// An honest coin that can be made to vanish.
contract MortalCoin is Ledger {
    string public constant name = "Mortal";
    string public constant symbol = "MRTL";
    uint8 public constant decimals = 18;

    function die(address payable heir) external {
        selfdestruct(heir);
    }
}

/// A coin that is gone before anybody could ask it its name.
contract GhostCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    constructor(address to, uint256 value) {
        emit Transfer(address(0), to, value);
        selfdestruct(payable(msg.sender));
    }
}

/// Answers name, symbol and decimals with any bytes; an answer of the one byte 0xfe stands for a revert.
contract RawCoin is Ledger {
    bytes private rawName;
    bytes private rawSymbol;
    bytes private rawDecimals;

    constructor(bytes memory nameAnswer, bytes memory symbolAnswer, bytes memory decimalsAnswer) {
        rawName = nameAnswer;
        rawSymbol = symbolAnswer;
        rawDecimals = decimalsAnswer;
    }

    function name() external view {
        answer(rawName);
    }

    function symbol() external view {
        answer(rawSymbol);
    }

    fallback() external {
        require(msg.sig == 0x313ce567);
        answer(rawDecimals);
    }

    function answer(bytes memory raw) private pure {
        require(raw.length != 1 || raw[0] != 0xfe);
        assembly {
            return(add(raw, 32), mload(raw))
        }
    }
}

/// What an account becomes for a while by EIP-7702: a token at an address that is a person's.
contract PersonalCoin {
    event Transfer(address indexed from, address indexed to, uint256 value);

    mapping(address => uint256) private held;

    function balanceOf(address owner) external view returns (uint256) {
        return held[owner];
    }

    function mint(address to, uint256 value) external {
        held[to] += value;
        emit Transfer(address(0), to, value);
    }
}

/// Emits logs of any shape: topics that are no addresses, data too short, arrays that lead out of the data.
contract Shouter {
    function shout(bytes32[] calldata topics, bytes calldata data) external {
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
