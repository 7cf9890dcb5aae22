import { compileWithPackages } from "../../../support/solidity.ts";

const source = `
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

contract Asset is ERC20 {
  constructor() ERC20("Asset", "AST") {}
  function mint(address to, uint256 amount) external { _mint(to, amount); }
}

contract Vault is ERC20, ERC4626 {
  constructor(ERC20 asset_) ERC20("Vault", "VLT") ERC4626(asset_) {}
  function decimals() public view override(ERC20, ERC4626) returns (uint8) { return ERC4626.decimals(); }
}

/** Announces vaults, and any other contract. */
contract Factory {
  event Created(address indexed vault, address asset);
  function create(ERC20 asset) public returns (Vault vault) {
    vault = new Vault(asset);
    emit Created(address(vault), address(asset));
  }
  /** The first deposit is in the transaction of the announcement. */
  function createWithDeposit(ERC20 asset, uint256 amount) external {
    Vault vault = create(asset);
    asset.transferFrom(msg.sender, address(this), amount);
    asset.approve(address(vault), amount);
    vault.deposit(amount, msg.sender);
  }
  function announce(address vault, address asset) external { emit Created(vault, asset); }
}

/** Emits any log, and may have no price. */
contract Hostile {
  uint256 public mode;
  function setMode(uint256 to) external { mode = to; }
  function emitLog(bytes32[] calldata topics, bytes memory data) external {
    uint256 count = topics.length;
    bytes32[4] memory t;
    for (uint256 n = 0; n < count; n += 1) t[n] = topics[n];
    assembly {
      let start := add(data, 32)
      let size := mload(data)
      switch count
      case 0 { log0(start, size) }
      case 1 { log1(start, size, mload(t)) }
      case 2 { log2(start, size, mload(t), mload(add(t, 32))) }
      case 3 { log3(start, size, mload(t), mload(add(t, 32)), mload(add(t, 64))) }
      default { log4(start, size, mload(t), mload(add(t, 32)), mload(add(t, 64)), mload(add(t, 96))) }
    }
  }
  function convertToAssets(uint256) external view returns (uint256) {
    if (mode == 0) revert("none");
    if (mode == 1) assembly { mstore(0, not(0)) return(0, 31) }
    return mode;
  }
}
`;

/** OpenZeppelin's ERC-4626 vault, a factory that announces vaults, and a contract that emits any log. */
export const contracts = compileWithPackages(source);
