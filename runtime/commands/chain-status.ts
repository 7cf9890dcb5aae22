import type { Database } from "../database/database.ts";
import type { IndexedChainRow, IndexState } from "../domains/chains/queries/index-state.ts";
import { readChainDetails } from "../operator/chain-details.ts";
import type { IndexedChain } from "../operator/indexed-chain.ts";

/** Renders one chain's details as lines. */
export async function renderDetails(database: Database, chain: IndexedChain, state: IndexState): Promise<string[]> {
  const { name } = chain;
  const { node, missing, use, audit } = await readChainDetails(database, chain);
  const gibibytes = use.bytes / 2 ** 30;
  const density = use.transactions === 0 ? "" : `, ${((gibibytes / use.transactions) * 1e6).toFixed(2)} GiB per million transactions`;
  const size = `about ${use.rows} rows, ${use.transactions} transactions and ${gibibytes.toFixed(2)} GiB with indexes${density}`;
  return [
    use.rows === 0 ? "  disk: unknown until the next ANALYZE" : `  disk: ${size}`,
    `  node: ${node?.offers ? `offers ${node.offers.join(", ") || "no optional features"}` : "not checked yet"}`,
    `  missing: ${missing.join(", ") || "nothing"}`,
    ...(node?.switched_off ?? []).map(({ projection, reason }) => `  switched off: ${projection}: ${reason}`),
    ...state.checkpoints
      .filter((row) => row.name === name)
      .map(
        ({ projection, block_number: block }) =>
          `  projection ${projection}: block ${block}${node?.building.includes(projection) ? ", being rebuilt" : ""}`,
      ),
    ...renderQueues(state, name).map((line) => `  ${line}`),
    audit === null
      ? "  last audit: none"
      : `  last audit: ${audit.time.toISOString()}, block ${audit.details.block}, ${audit.details.compared} values compared, ${audit.details.differences} differences`,
  ];
}

/** Renders a chain's queues as lines. */
export const renderQueues = ({ queues }: IndexState, name: string): string[] =>
  queues
    .filter((row) => row.name === name)
    .map(({ queue, entries, attempted, overdue_seconds: overdue }) => {
      const oldest = overdue > 0 ? `, the oldest due for ${Math.round(overdue)} s` : "";
      return `queue ${queue}: ${entries} entries, ${attempted} of them attempted before${oldest}`;
    });

/** Renders a chain's progress as one line. */
export function renderChain({
  name,
  block,
  node_block,
  silent_seconds,
  is_stopped,
  paused_at,
  removal_started_at,
  restore_started_at,
}: IndexedChainRow): string {
  const head = block === null ? "no blocks" : `block ${block}`;
  const lag = block === null || node_block === null ? [] : [`${Math.max(0, node_block - block)} behind the node`];
  const silence = silent_seconds === null ? "" : `, last progress ${Math.round(silent_seconds)} s ago`;
  const activity = is_stopped ? `stopped by a failure${silence}` : `not paused${silence}`;
  if (removal_started_at !== null) return `${name}  being removed since ${removal_started_at.toISOString()}`;
  if (restore_started_at !== null)
    return `${name}  being restored since ${restore_started_at.toISOString()}; if no process is restoring it, repeat the command that started the restore (ashlar restore --chain or ashlar chains move)`;
  return [name, head, ...lag, paused_at === null ? activity : `paused since ${paused_at.toISOString()}`].join("  ");
}
