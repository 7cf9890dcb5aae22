import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import { type Artifact, encodeCall, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { demoContracts } from "../../../../support/demo-contracts.ts";
import { multicallAddress, multicallCode } from "../../../../support/multicall.ts";
import { compileSolidity } from "../../../../support/solidity.ts";

/** A router that deposits for its caller, a registry that announces any contract, and a vault that reverts or returns impossible values. */
export const ownContracts = compileSolidity(`
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;
interface Token {
  function transferFrom(address from, address to, uint256 amount) external returns (bool);
  function transfer(address to, uint256 amount) external returns (bool);
  function approve(address spender, uint256 amount) external returns (bool);
  function balanceOf(address owner) external view returns (uint256);
}
interface Pool { function deposit(uint256 amount) external; function withdraw(uint256 shares) external; }
interface Vault { function deposit(uint256 amount, address recipient) external; function withdraw(uint256 shares, address recipient) external; }

contract Router {
  /** Deposits in its own name, and sends the shares on. */
  function depositIntoPool(address pool, Token token, uint256 amount) external {
    token.transferFrom(msg.sender, address(this), amount);
    token.approve(pool, amount);
    Pool(pool).deposit(amount);
    Token(pool).transfer(msg.sender, Token(pool).balanceOf(address(this)));
  }
  /** Deposits for another account. */
  function depositFor(address vault, Token token, uint256 amount, address owner) external {
    token.transferFrom(msg.sender, address(this), amount);
    token.approve(vault, amount);
    Vault(vault).deposit(amount, owner);
  }
  /** Withdraws its caller's shares of version 2 to another account. */
  function withdrawTo(address vault, uint256 shares, address recipient) external {
    Token(vault).transferFrom(msg.sender, address(this), shares);
    Vault(vault).withdraw(shares, recipient);
  }
}

contract Registry {
  event NewVault(address indexed token, uint256 indexed vault_id, address vault, string api_version);
  event NewVault(address indexed token, uint256 indexed vaultId, uint256 vaultType, address vault, string apiVersion);
  event NewEndorsedVault(address indexed vault, address indexed asset, uint256 releaseVersion, uint256 vaultType);
  event NewVault(address indexed vault_address, address indexed asset);
  function announceV2(address vault, address token) external { emit NewVault(token, 7, vault, "0.3.2"); }
  function announceTypedV2(address vault, address token) external { emit NewVault(token, 8, 1, vault, "0.4.6"); }
  function announceV3(address vault, address token) external { emit NewEndorsedVault(vault, token, 2, 1); }
  function createdV3(address vault, address token) external { emit NewVault(vault, token); }
}

/** Every view returns the largest number, or reverts, as the constructor's argument determines. */
contract Hostile {
  bool private largest;
  event Transfer(address indexed from, address indexed to, uint256 value);
  event Deposit(address indexed owner, uint256 shares, uint256 amount);
  constructor(bool largest_) { largest = largest_; }
  function act(address owner) external {
    emit Transfer(address(0), owner, type(uint256).max);
    emit Deposit(owner, type(uint256).max, type(uint256).max);
  }
  /** An event whose data lacks a word. */
  function emitGarbage(address owner) external {
    bytes32 topic = keccak256("Deposit(address,uint256,uint256)");
    assembly { mstore(0, 1) log2(0, 32, topic, owner) }
  }
  fallback() external {
    require(largest);
    assembly { mstore(0, not(0)) return(0, 32) }
  }
}
`);

/** A test market's contract addresses, and functions that call them. */
export interface SharedContracts {
  readonly people: readonly [Address, Address, Address, Address];
  readonly strategist: Address;
  readonly collector: Address;
  readonly token: Address;
  readonly router: Address;
  readonly callOf: (from: Address, contract: string, to: Address, name: string, args: readonly unknown[]) => TestTransaction;
  /** What a view returns at a height, as a number. */
  readonly view: (contract: string, to: Address, name: string, args: readonly unknown[], height: number) => Promise<bigint>;
}

export const tokenDecimals = 6;

/** Deploys a six-decimal token and a router, and funds the accounts. */
export const deployShared = async (chain: TestChain): Promise<SharedContracts> => {
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
  const artifactOf = (name: string): Artifact =>
    ["Router", "Registry", "Hostile"].includes(name) ? ownContracts(name) : demoContracts(name);
  const people = chain.accounts.slice(0, 4) as [Address, Address, Address, Address];
  const [strategist, collector] = chain.accounts.slice(4, 6) as [Address, Address];
  const token = await chain.deploy(demoContracts("CustomDecimalsToken"), ["Coin", "COIN", tokenDecimals, 10n ** 18n]);
  const router = await chain.deploy(ownContracts("Router"));
  const callOf: SharedContracts["callOf"] = (from, contract, to, name, args) => ({
    from,
    ...encodeCall(artifactOf(contract), to, name, args),
  });
  const holders = [...people, strategist];
  await chain.send(...holders.map((to) => callOf(people[0], "CustomDecimalsToken", token, "transfer", [to, 10n ** 14n])));
  await chain.mine();
  return {
    ...{ people, strategist, collector, token, router, callOf },
    view: async (contract, to, name, args, height) =>
      BigInt(await chain.rpc<Hex>("eth_call", [encodeCall(artifactOf(contract), to, name, args), `0x${height.toString(16)}`])),
  };
};

/** Approves the accounts' tokens for the vaults and the router, and their shares for the router. */
export const approveAll = async (
  chain: TestChain,
  { people, strategist, token, router, callOf }: SharedContracts,
  vaults: readonly Address[],
) => {
  const approve = (from: Address, contract: Address, spender: Address) =>
    callOf(from, "CustomDecimalsToken", contract, "approve", [spender, 2n ** 255n]);
  for (const from of [...people, strategist])
    await chain.send(
      approve(from, token, router),
      ...vaults.flatMap((vault) => [approve(from, token, vault), approve(from, vault, router)]),
    );
  await chain.mine();
};
