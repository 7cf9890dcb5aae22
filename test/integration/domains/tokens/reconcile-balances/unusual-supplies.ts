import { compileSolidity } from "../../../../support/solidity.ts";

/** ERC-20 tokens whose total supply differs from their mints minus their burns, each for a different reason. */
const source = `
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

contract Coin {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  mapping(address => uint256) internal held;
  uint256 internal supply;

  function balanceOf(address owner) public view virtual returns (uint256) { return held[owner]; }
  function mint(address to, uint256 amount) external virtual {
    supply += amount;
    held[to] += amount;
    emit Transfer(address(0), to, amount);
  }
  function burn(uint256 amount) external {
    supply -= amount;
    held[msg.sender] -= amount;
    emit Transfer(msg.sender, address(0), amount);
  }
  function transfer(address to, uint256 amount) external virtual {
    held[msg.sender] -= amount;
    held[to] += amount;
    emit Transfer(msg.sender, to, amount);
  }
}

/** Like most tokens: a transfer to the zero address does not change the supply, and the zero address has a balance. */
contract Plain is Coin {
  function totalSupply() public view virtual returns (uint256) { return supply; }
}

/** The constructor mints the whole supply without an event. */
contract Preminted is Plain {
  constructor() { supply = 1000000; held[msg.sender] = supply; }
}

/** rebase() scales all balances and the supply without an event. */
contract Rebasing is Plain {
  uint256 public percent = 100;
  function balanceOf(address owner) public view virtual override returns (uint256) { return held[owner] * percent / 100; }
  function totalSupply() public view override returns (uint256) { return supply * percent / 100; }
  function rebase(uint256 to) external { percent = to; }
}

/** Like Rebasing, but balanceOf() of barred owners reverts. */
contract Barring is Rebasing {
  mapping(address => bool) internal barred;
  function balanceOf(address owner) public view override returns (uint256) {
    require(!barred[owner], "barred");
    return held[owner] * percent / 100;
  }
  function bar(address owner) external { barred[owner] = true; }
}

/** The supply accrues interest: it grows with each block. */
contract Interest is Plain {
  function totalSupply() public view override returns (uint256) { return supply + block.number; }
}

/** The zero address has a different balance in every block. */
contract Drifting is Plain {
  function balanceOf(address owner) public view override returns (uint256) { return owner == address(0) ? block.number : held[owner]; }
}

/** seize() moves tokens from one owner to another without an event. */
contract Seizing is Plain {
  function seize(address from, address to, uint256 amount) external { held[from] -= amount; held[to] += amount; }
  function touch() external {}
}

/** Calls seize() internally: the transaction's calldata names neither the token nor the owners. */
contract Sheriff {
  Seizing internal immutable token;
  address internal immutable from;
  address internal immutable to;
  constructor(Seizing token_, address from_, address to_) { token = token_; from = from_; to = to_; }
  function act() external { token.seize(from, to, 10); }
}
`;

export const unusualSupplies = compileSolidity(source);
