import type { Artifact } from "../../../../support/chain.ts";
import { demoContracts } from "../../../../support/demo-contracts.ts";
import { compileWithPackages } from "../../../../support/solidity.ts";

const source = `
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

contract Coin is ERC20 {
  uint8 private immutable places;
  constructor(string memory name, uint8 decimals_) ERC20(name, name) { places = decimals_; }
  function decimals() public view override returns (uint8) { return places; }
  function mint(address to, uint256 amount) external { _mint(to, amount); }
}

interface IPool {
  function supply(address asset, uint256 amount, address onBehalfOf, uint16 referral) external;
  function withdraw(address asset, uint256 amount, address to) external;
}

/** Supplies and withdraws for its callers. */
contract Router {
  function supply(IPool pool, ERC20 asset, uint256 amount) external {
    asset.transferFrom(msg.sender, address(this), amount);
    asset.approve(address(pool), amount);
    pool.supply(address(asset), amount, msg.sender, 0);
  }
  function withdraw(IPool pool, ERC20 aToken, address asset, uint256 amount) external {
    aToken.transferFrom(msg.sender, address(this), amount);
    pool.withdraw(asset, amount, msg.sender);
  }
}

/** Acts as a pool, a configurator and an aToken, and emits any of their events. */
contract Impostor {
  event ReserveInitialized(address indexed asset, address indexed aToken, address stable, address variable, address strategy);
  event ReserveDataUpdated(address indexed reserve, uint256 a, uint256 b, uint256 c, uint256 d, uint256 e);
  event Mint(address indexed caller, address indexed account, uint256 value, uint256 increase, uint256 index);
  uint256 public scaledTotalSupply = type(uint256).max;
  function POOL() external view returns (address) { return address(this); }
  function announce(address asset, address aToken, address variable) external {
    emit ReserveInitialized(asset, aToken, address(0), variable, address(0));
  }
  function update(address asset, uint256 rate, uint256 index) external { emit ReserveDataUpdated(asset, rate, rate, rate, index, index); }
  function mint(address account, uint256 value, uint256 increase, uint256 index) external {
    emit Mint(msg.sender, account, value, increase, index);
  }
  function garbage(bytes32 topic, bytes memory data) external { assembly { log1(add(data, 32), mload(data), topic) } }
}
`;

const compiled = compileWithPackages(source);

/** This test's contracts, and the demo's lending contracts. */
export const contracts = (name: string): Artifact => (["Coin", "Router", "Impostor"].includes(name) ? compiled(name) : demoContracts(name));
