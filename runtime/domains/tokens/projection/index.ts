import { punkMovements } from "../../../events/punks.ts";
import {
  consecutiveMint,
  erc1155TransferBatch,
  erc1155TransferSingle,
  tokenTransferEvents,
  wrappedDeposit,
  wrappedWithdrawal,
} from "../../../events/transfers.ts";
import { type BaseRead, defineProjection } from "../../../indexer/projection.ts";
import { createKeySet } from "../../../indexer/state/state.ts";
import type { Address } from "../../../lib/hex.ts";
import { balanceKeysOf, hasBase, reportedBalances, storedBalance } from "./balance-keys.ts";
import { baseReadOf } from "./base-reads.ts";
import { foldTokens } from "./fold.ts";
import { type TokenMovement, tokenMovements } from "./movements.ts";
import { standards } from "./standards.ts";
import { tokenTables } from "./tables.ts";

/**
 * Token transfers and balances, including zero-value transfers. In `balances`, an ERC-721 collection's row counts tokens, and an ERC-1155 collection's row
 * counts the units of all ids. A balance that events would take outside the uint256 range is unknown from then on, because the token's events are inconsistent.
 * Without a base balance, the net change is stored. A transfer of a node-sourced token only touches its owners. Ids that were minted in ranges (EIP-2309) are
 * one movement each. CryptoPunks are treated as ERC-721 tokens. Their contracts also emit ERC-20 Transfers, which are treated as ERC-20 transfers; this matches
 * their `balanceOf`.
 */
export const tokensProjection = defineProjection({
  id: "tokens",
  version: 4,
  events: [
    ...tokenTransferEvents,
    consecutiveMint,
    erc1155TransferSingle,
    erc1155TransferBatch,
    wrappedDeposit,
    wrappedWithdrawal,
    ...punkMovements,
  ],
  tables: tokenTables,
  loads: {
    balances: {
      table: "balances",
      key: { owner: "bytea", token: "bytea", standard: "int2" },
      valueColumns: ["balance", "since_block", "net_change"],
    },
    nftBalances: {
      table: "nft_balances",
      key: { owner: "bytea", token: "bytea", token_id: "numeric", standard: "int2" },
      valueColumns: ["balance", "since_block", "net_change"],
    },
    totals: {
      table: "holder_counts",
      key: { token: "bytea", standard: "int2" },
      valueColumns: ["holders"],
      newestBy: "block_number",
    },
    supplies: {
      table: "token_supplies",
      key: { token: "bytea", standard: "int2" },
      valueColumns: ["supply"],
      newestBy: "block_number",
    },
    nodeSourced: { table: "node_sourced_tokens", key: { token: "bytea", standard: "int2" }, valueColumns: [] },
    standards: { table: "token_standards", key: { address: "bytea", standard: "int2" }, valueColumns: [] },
    metadata: { table: "token_metadata", key: { address: "bytea" }, valueColumns: [] },
    ordinals: { table: "transfer_transactions", key: { address: "bytea" }, valueColumns: ["ordinal"], newestBy: "ordinal" },
  },
  keysToLoad: (blocks, chain) => {
    const sets = {
      balances: createKeySet(),
      nftBalances: createKeySet(),
      totals: createKeySet(),
      supplies: createKeySet(),
      nodeSourced: createKeySet(),
      standards: createKeySet(),
      metadata: createKeySet(),
      ordinals: createKeySet(),
    };
    for (const { key } of blocks.flatMap(reportedBalances)) sets.balances.add(key.owner, key.token, key.standard);
    let previous: TokenMovement | null = null;
    const owners = new Set<Address>();
    for (const movement of blocks.flatMap((block) => tokenMovements(block, chain))) {
      const { token, standard } = movement;
      // Movements of one token are often adjacent: its keys, and each owner, are added once per run of movements.
      const isDifferentToken = previous?.token !== token || previous.standard !== standard;
      if (isDifferentToken) owners.clear();
      for (const { owner, tokenId } of balanceKeysOf(movement, chain)) {
        if (tokenId !== null) sets.nftBalances.add(owner, token, tokenId, standard);
        else if (!owners.has(owner)) {
          owners.add(owner);
          sets.balances.add(owner, token, standard);
        }
      }
      previous = movement;
      if (standard !== standards.native && isDifferentToken) {
        sets.standards.add(token, standard);
        sets.totals.add(token, standard);
        sets.supplies.add(token, standard);
        sets.nodeSourced.add(token, standard);
        sets.metadata.add(token);
      }
      if (standard === standards.erc20) {
        sets.ordinals.add(movement.fromAddress);
        sets.ordinals.add(movement.toAddress);
      }
    }
    return Object.fromEntries(Object.entries(sets).map(([name, { keys }]) => [name, keys]));
  },
  requiredBaseReads: (blocks, state, chain) => {
    const reads: BaseRead[] = [];
    // No key has a base balance in this case.
    if (chain.from === 0 && chain.nativeAccounting === "none") return reads;
    for (const block of blocks) {
      const moved = tokenMovements(block, chain).flatMap((movement) => balanceKeysOf(movement, chain));
      for (const key of [...moved, ...reportedBalances(block).map(({ key }) => key)]) {
        const read = hasBase(key, chain) && storedBalance(state, key) === undefined ? baseReadOf(key, block.block.number) : null;
        if (read !== null) reads.push(read);
      }
    }
    return reads;
  },
  fold: foldTokens,
});
