import type { Protocol } from "../../../../runtime/declarations/protocol.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { encodeCall, type TestChain } from "../../../support/chain.ts";
import { contractOf, protocolOf, readOf, tableOf } from "../../../support/declared-protocol.ts";
import { compileSolidity } from "../../../support/solidity.ts";
import { deposit } from "./support.ts";

/** A contract that lists addresses. */
export const registries = compileSolidity(`
// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;
/** Lists addresses without an event. */
contract Registry {
  address[] private list;
  function add(address item) external { list.push(item); }
  function addMany(uint160 first, uint160 count) external { for (uint160 item = first; item < first + count; item++) list.push(address(item)); }
  function clear() external { delete list; }
  function all() external view returns (address[] memory) { return list; }
}`);

/** Blocks between two reads of the list. */
const listEvery = 4;
/** Blocks between two reads of a price. */
export const priceEvery = 2;

/** Vaults that a registry lists, with the price of 10^36 shares. */
export const listedVaults = (registry: Address): Protocol =>
  protocolOf({
    id: "listed",
    contracts: {
      registry: contractOf({ test: [{ address: registry, from: 1 }] }),
      vault: { ...contractOf(), listedBy: [{ read: "lists", column: "vaults" }] },
    },
    tables: [tableOf("deposits", "vault", [deposit], { indexes: [["owner"]] })],
    reads: [
      readOf("lists", "registry", "all() view returns (address[] vaults)", { everyBlocks: listEvery, latest: true }),
      readOf("share_price", "vault", "convertToAssets(uint256 shares) view returns (uint256 assets)", {
        arguments: [(10n ** 36n).toString()],
        touchedBy: ["deposits"],
        everyBlocks: priceEvery,
        latest: true,
      }),
    ],
  });

/** Adds a vault to the list, in a separate block. */
export const listVault = async (chain: TestChain, registry: Address, vault: Address | undefined): Promise<void> => {
  await chain.send(encodeCall(registries("Registry"), registry, "add", [vault]));
  await chain.mine();
};

/** Mines up to a block at which the list is read, and returns its number. */
export const mineToReading = async (chain: TestChain): Promise<number> => {
  do await chain.mine();
  while ((await chain.head()) % listEvery !== 0);
  return chain.head();
};
