import { compileSolidity } from "../../../../support/solidity.ts";

/** Tokens whose balances do not follow from their events, each for a different reason, and one whose balanceOf() reverts. */
const source = `
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

contract Token {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  mapping(address => uint256) internal held;

  function balanceOf(address owner) public view virtual returns (uint256) { return held[owner]; }

  function mint(address to, uint256 amount) external {
    held[to] += amount;
    emit Transfer(address(0), to, amount);
  }

  function transfer(address to, uint256 amount) external virtual {
    held[msg.sender] -= amount;
    held[to] += amount;
    emit Transfer(msg.sender, to, amount);
  }
}

/** rebase() scales all balances without an event. */
contract Rebasing is Token {
  uint256 public percent = 100;
  function balanceOf(address owner) public view override returns (uint256) { return held[owner] * percent / 100; }
  function rebase(uint256 to) external { percent = to; }
}

/** The recipient gets nine tenths of the amount in the event. */
contract FeeOnTransfer is Token {
  function transfer(address to, uint256 amount) external override {
    held[msg.sender] -= amount;
    held[to] += amount - amount / 10;
    emit Transfer(msg.sender, to, amount);
  }
}

/** Emits transfers of tokens that no account holds. */
contract Phishing {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  function balanceOf(address) external pure returns (uint256) { return 0; }
  function claim(address from, address to, uint256 amount) external { emit Transfer(from, to, amount); }
}

/** Mints and burns tokens without an event; later transfers move them. */
contract Unlogged is Token {
  function mintSilently(address to, uint256 amount) external { held[to] += amount; }
  function burnSilently(address from, uint256 amount) external { held[from] -= amount; }
}

/** balanceOf() transfers away the contract's balance of another token, which has an effect only on later reads of the same eth_call. */
contract Restless {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  Token internal immutable other;
  constructor(Token other_) { other = other_; }

  function balanceOf(address) external returns (uint256) {
    uint256 balance = other.balanceOf(address(this));
    if (balance > 0) other.transfer(address(1), balance);
    return 0;
  }

  function claim(address from, address to, uint256 amount) external { emit Transfer(from, to, amount); }
}

contract Mute is Token {
  function balanceOf(address) public pure override returns (uint256) { revert("not available"); }
}
`;

export const unusualBalances = compileSolidity(source);
