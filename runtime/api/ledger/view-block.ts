import type { Block } from "../../../generated/responses.gen.ts";
import type { BlockRow } from "../../domains/ledger/queries/block.ts";
import { isoTimestamp } from "../../lib/time.ts";
import type { ResolverContext } from "../context.ts";

/** A block as an item. `mining_cost` is null: it is not part of the chain's data. */
export const viewBlock = (context: ResolverContext, chainName: string, row: BlockRow): Block => ({
  block_hash: row.hash,
  signed_at: isoTimestamp(row.timestamp),
  height: row.number,
  block_parent_hash: row.parent_hash,
  extra_data: row.extra_data,
  miner_address: row.miner,
  mining_cost: null,
  gas_used: row.gas_used,
  gas_limit: Number(row.gas_limit),
  transactions_link: context.absoluteUrl(`/v1/${chainName}/block/${row.number}/transactions_v3/`),
});
