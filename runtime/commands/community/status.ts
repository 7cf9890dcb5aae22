import { stdout } from "node:process";
import type { Config } from "../../config/config.ts";
import { createCommunityQueries, type ProtocolStatus } from "../../domains/community/queries/status.ts";
import { escapeTerminal } from "../../lib/terminal-text.ts";
import { resolveChains } from "../chains.ts";
import { openDatabase } from "../open-database.ts";
import { requireDatabase } from "../used-database.ts";

/** `ashlar community status`: prints the index of each declared protocol on each chain. @throws {CommandError} if there is no database. */
export async function communityStatus(config: Config): Promise<void> {
  requireDatabase(config);
  const database = await openDatabase(config);
  try {
    const names = new Map((await resolveChains(config, database.indexing)).map(({ id, name }) => [id, name]));
    const statuses = await createCommunityQueries(database.indexing).statuses();
    const lines = statuses.flatMap((status) => renderStatus(status, names.get(status.chain_id) ?? `chain ${status.chain_id}`));
    const none = "No declared protocol is indexed: none has contracts on a chain that was indexed.";
    for (const line of lines.length === 0 ? [none] : lines) stdout.write(`${escapeTerminal(line)}\n`);
  } finally {
    await database.close();
  }
}

/** Renders the lines of a protocol on a chain. */
export const renderStatus = (status: ProtocolStatus, chain: string): string[] => {
  const { protocol, checkpoint, head, failure, tables, skipped, queued_reads } = status;
  const behind = head - checkpoint;
  const progress = behind === 0 ? `at block ${checkpoint}` : `at block ${checkpoint} of ${head}`;
  return [
    failure === null ? `${protocol} on ${chain}: ${progress}` : `${protocol} on ${chain}: switched off: ${failure}`,
    ...tables.filter(({ name }) => name !== "skipped").map(({ name, rows }) => `  ${name}  ${count(rows, "row")}`),
    `  ${count(skipped, "skipped log")}, ${count(queued_reads, "queued read")}`,
  ];
};

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? "" : "s"}`;
