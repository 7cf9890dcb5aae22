import { compileSolidity } from "../../../support/solidity.ts";

/** Contracts whose Transfer and Approval logs deviate from their standard. */
const source = `
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/** The functions of ERC-20; derived contracts define the form of the logs. */
abstract contract Coin {
  uint8 public constant decimals = 18;
  uint256 public totalSupply;
  mapping(address => uint256) public balanceOf;
  mapping(address => mapping(address => uint256)) public allowance;

  function _logTransfer(address from, address to, uint256 amount) internal virtual;
  function _logApproval(address owner, address spender, uint256 amount) internal virtual;

  function mint(address to, uint256 amount) public virtual {
    totalSupply += amount;
    balanceOf[to] += amount;
    _logTransfer(address(0), to, amount);
  }

  function burn(uint256 amount) external {
    totalSupply -= amount;
    balanceOf[msg.sender] -= amount;
    _logTransfer(msg.sender, address(0), amount);
  }

  function transfer(address to, uint256 amount) external {
    balanceOf[msg.sender] -= amount;
    balanceOf[to] += amount;
    _logTransfer(msg.sender, to, amount);
  }

  function approve(address spender, uint256 amount) external {
    allowance[msg.sender][spender] = amount;
    _logApproval(msg.sender, spender, amount);
  }
}

/** Appends fields to the data of its events, whose length is then not a multiple of a word. */
contract Appending is Coin {
  function _log(bytes32 topic, address a, address b, uint256 amount) private {
    bytes memory data = abi.encodePacked(amount, block.number, uint8(7));
    assembly { log3(add(data, 32), mload(data), topic, a, b) }
  }
  function _logTransfer(address from, address to, uint256 amount) internal override {
    _log(keccak256("Transfer(address,address,uint256)"), from, to, amount);
  }
  function _logApproval(address owner, address spender, uint256 amount) internal override {
    _log(keccak256("Approval(address,address,uint256)"), owner, spender, amount);
  }
}

contract AllIndexed is Coin {
  event Transfer(address indexed from, address indexed to, uint256 indexed amount);
  event Approval(address indexed owner, address indexed spender, uint256 indexed amount);
  function _logTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
  function _logApproval(address owner, address spender, uint256 amount) internal override { emit Approval(owner, spender, amount); }
}

contract NoneIndexed is Coin {
  event Transfer(address from, address to, uint256 amount);
  event Approval(address owner, address spender, uint256 amount);
  function _logTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
  function _logApproval(address owner, address spender, uint256 amount) internal override { emit Approval(owner, spender, amount); }
}

/** An ERC-20 token of which only Approval has a different form. */
contract IndexedApproval is Coin {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  event Approval(address indexed owner, address indexed spender, uint256 indexed amount);
  function _logTransfer(address from, address to, uint256 amount) internal override { emit Transfer(from, to, amount); }
  function _logApproval(address owner, address spender, uint256 amount) internal override { emit Approval(owner, spender, amount); }
}

/** Like CryptoKitties, predates EIP-721 and EIP-165: no parameter is indexed. */
contract Kitties {
  event Transfer(address from, address to, uint256 tokenId);
  mapping(uint256 => address) internal owners;
  mapping(address => uint256) public balanceOf;
  uint256 public totalSupply;

  function ownerOf(uint256 id) external view returns (address owner) {
    owner = owners[id];
    require(owner != address(0));
  }

  function mint(address to, uint256 id) external {
    totalSupply += 1;
    _move(address(0), to, id);
  }

  function transfer(address to, uint256 id) external {
    require(owners[id] == msg.sender);
    balanceOf[msg.sender] -= 1;
    _move(msg.sender, to, id);
  }

  function _move(address from, address to, uint256 id) private {
    owners[id] = to;
    balanceOf[to] += 1;
    emit Transfer(from, to, id);
  }
}

library CoinEvents {
  event Transfer(address indexed from, address indexed to, uint256 amount);
}
library IdEvents {
  event Transfer(address indexed from, address indexed to, uint256 indexed id);
}

/** Like ERC-404: every whole token is also an NFT, and a transfer emits the Transfer event of each standard. */
contract Hybrid is Coin {
  uint256 public constant unit = 1e18;
  uint256 public minted;
  mapping(uint256 => address) internal owners;
  mapping(address => uint256[]) internal held;
  /** Whether transfers emit an ERC-20 event of a different name, as in the first contract of this kind. */
  bool internal immutable usesOwnEventName;
  event ERC20Transfer(address indexed from, address indexed to, uint256 amount);

  constructor(bool usesOwnEventName_) { usesOwnEventName = usesOwnEventName_; }

  function ownerOf(uint256 id) external view returns (address owner) {
    owner = owners[id];
    require(owner != address(0));
  }
  function isApprovedForAll(address, address) external pure returns (bool) { return false; }
  function supportsInterface(bytes4 id) external pure returns (bool) { return id == 0x01ffc9a7; }

  function mint(address to, uint256 amount) public override {
    super.mint(to, amount);
    for (uint256 n = 0; n < amount / unit; n += 1) _moveId(address(0), to, ++minted);
  }

  /** Transfers whole tokens and the same number of NFTs. */
  function send(address to, uint256 units) external {
    balanceOf[msg.sender] -= units * unit;
    balanceOf[to] += units * unit;
    _logTransfer(msg.sender, to, units * unit);
    for (uint256 n = 0; n < units; n += 1) {
      uint256 id = held[msg.sender][held[msg.sender].length - 1];
      held[msg.sender].pop();
      _moveId(msg.sender, to, id);
    }
  }

  /** Mints an id and burns it in the same call, which leaves no id with an owner. */
  function flash(address to) external {
    uint256 id = ++minted;
    _moveId(address(0), to, id);
    held[to].pop();
    owners[id] = address(0);
    emit IdEvents.Transfer(to, address(0), id);
  }

  function _moveId(address from, address to, uint256 id) private {
    owners[id] = to;
    held[to].push(id);
    emit IdEvents.Transfer(from, to, id);
  }
  function _logTransfer(address from, address to, uint256 amount) internal override {
    if (usesOwnEventName) emit ERC20Transfer(from, to, amount);
    else emit CoinEvents.Transfer(from, to, amount);
  }
  function _logApproval(address, address, uint256) internal override {}
}

/** Emits the hybrids' ERC-20 event for other contracts' tokens; it is not a token. */
contract Treasury {
  event ERC20Transfer(address indexed token, address indexed to, uint256 amount);
  function pay(address token, address to, uint256 amount) external { emit ERC20Transfer(token, to, amount); }
}

/** Emits ids instead of amounts; its balances count ids. */
contract IdsAsAmounts {
  event Transfer(address indexed from, address indexed to, uint256 id);
  mapping(address => uint256) public balanceOf;
  function mint(address to, uint256 id) external {
    balanceOf[to] += 1;
    emit Transfer(address(0), to, id);
  }
}

/** Emits the events of an ERC-721 collection and implements no function. */
contract EventsOnly {
  event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
  function emitTransfer(address from, address to, uint256 id) external { emit Transfer(from, to, id); }
}

/** Responds as a coin until it is switched, and as a collection afterwards. */
contract Switchable {
  event Transfer(address indexed from, address indexed to, uint256 indexed value);
  bool internal isCollection;
  function change() external { isCollection = true; }
  function allowance(address, address) external view returns (uint256) {
    require(!isCollection);
    return 0;
  }
  function supportsInterface(bytes4 id) external view returns (bool) { return isCollection && id == 0x80ac58cd; }
  function emitTransfer(address to, uint256 value) external { emit Transfer(address(0), to, value); }
}

/** Returns a long string of zero bytes from supportsInterface(), and uses up all gas in any other call. */
contract Greedy {
  event Transfer(address indexed from, address indexed to, uint256 indexed value);
  function emitTransfer(address to, uint256 value) external { emit Transfer(address(0), to, value); }
  fallback() external {
    if (msg.sig == 0x01ffc9a7) assembly { return(0, 400000) }
    assembly { for {} 1 {} { pop(keccak256(0, 1024)) } }
  }
}
`;

export const nonstandardContracts = compileSolidity(source);
