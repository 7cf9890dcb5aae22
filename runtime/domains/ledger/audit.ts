import type { Rpc } from "../../chain/rpc.ts";
import type { Queryable } from "../../database/database.ts";
import { type AuditRow, auditRow } from "../../lib/audit-row.ts";
import type { Hash } from "../../lib/hex.ts";

interface BlockCounts {
  readonly number: number;
  readonly hash: Hash;
  readonly transactions: number;
  readonly logs: number;
}

interface NodeBlock {
  readonly hash: Hash;
  readonly transactions: readonly unknown[];
}

/** Compares the hashes, transaction counts and log counts of up to `sample` blocks up to a height, spread over the entire index. */
export async function auditBlocks(database: Queryable, rpc: Rpc, chainId: number, height: number, sample: number): Promise<AuditRow[]> {
  const blocks = await sampleBlocks(database, chainId, height, sample);
  const quantity = (value: number): string => `0x${value.toString(16)}`;
  const nodeBlocks = await rpc.settle(blocks.map(({ number }) => ({ method: "eth_getBlockByNumber", params: [quantity(number), false] })));
  const logs = await rpc.settle(
    blocks.map(({ number }) => ({ method: "eth_getLogs", params: [{ fromBlock: quantity(number), toBlock: quantity(number) }] })),
  );
  const nodeBlock = (index: number): NodeBlock | null => {
    const result = nodeBlocks[index];
    return result?.ok ? (result.value as NodeBlock | null) : null;
  };
  const count = (index: number): string | null => {
    const result = logs[index];
    return result?.ok && Array.isArray(result.value) ? String(result.value.length) : null;
  };
  return [
    auditRow(
      "block hashes",
      blocks.map((block, index) => ({ subject: `block ${block.number}`, index: block.hash, node: nodeBlock(index)?.hash ?? null })),
    ),
    auditRow(
      "transactions of a block",
      blocks.map((block, index) => ({
        subject: `block ${block.number}`,
        index: String(block.transactions),
        node: nodeBlock(index)?.transactions.length.toString() ?? null,
      })),
    ),
    auditRow(
      "logs of a block",
      blocks.map((block, index) => ({ subject: `block ${block.number}`, index: String(block.logs), node: count(index) })),
    ),
  ];
}

/** Blocks at evenly spread heights, including the last one. Served by the primary keys. */
const sampleBlocks = (database: Queryable, chainId: number, height: number, sample: number): Promise<BlockCounts[]> =>
  database.query<BlockCounts>(
    `SELECT b.number, b.hash,
       (SELECT count(*) FROM transactions t WHERE t.chain_id = b.chain_id AND t.block_number = b.number)::int8 AS transactions,
       (SELECT count(*) FROM logs l WHERE l.chain_id = b.chain_id AND l.block_number = b.number)::int8 AS logs
     FROM (SELECT min(number) AS first FROM blocks WHERE chain_id = $1) r
     CROSS JOIN LATERAL generate_series($2::int8, r.first, -greatest(1, ceil(($2::int8 - r.first + 1) / $3::numeric))::int8) AS sampled(number)
     JOIN blocks b ON b.chain_id = $1 AND b.number = sampled.number`,
    [chainId, height, sample],
  );
