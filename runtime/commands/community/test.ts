import { resolve } from "node:path";
import { stdout } from "node:process";
import type { Config } from "../../config/config.ts";
import { configOfDatabase, databaseNameOfOnlyChain } from "../../config/database-config.ts";
import { renderDiagnostic } from "../../declarations/diagnostics.ts";
import { escapeTerminal } from "../../lib/terminal-text.ts";
import { loadAddedProtocols, unknownNetworks } from "../../protocols.ts";
import { CommandError } from "../command-error.ts";
import { requireDatabase } from "../configured-database.ts";
import { openDatabase } from "../open-database.ts";
import { resolveOnlyEvmChain } from "../resolve-only-evm-chain.ts";
import { type FilledTables, type ProtocolResult, tryProtocol } from "./try-protocol.ts";

const print = (line: string): void => void stdout.write(`${escapeTerminal(line)}\n`);

/**
 * `ashlar community test`: checks a directory, runs its operations on a chain's index, and returns whether all of them work.
 * @throws {ConfigError} with diagnostics.
 */
export async function testDirectory(config: Config, directory: string | undefined): Promise<boolean> {
  const path = directory === undefined ? config.communityDirectory : resolve(directory);
  if (path === undefined)
    throw new CommandError(
      "No directory specified: pass one, as in ashlar community test ./endpoints, or set communityDirectory in ashlar.yaml.",
    );
  const added = loadAddedProtocols(path, config.protocols);
  requireDatabase(config);
  const database = await openDatabase(configOfDatabase(config, databaseNameOfOnlyChain(config)));
  try {
    const chain = await resolveOnlyEvmChain(config, database.indexing);
    const reader = await database.openReader();
    let hasSucceeded = true;
    for (const protocol of added) {
      const result = await tryProtocol(protocol, { config, chain, database: database.indexing, reader });
      for (const line of renderResult(result, chain.name)) print(line);
      for (const warning of unknownNetworks([protocol], config)) print(`  warning ${renderDiagnostic(warning)}`);
      hasSucceeded &&= [...result.operations, ...(result.lending === null ? [] : [result.lending])].every(
        ({ problems }) => problems.length === 0,
      );
    }
    return hasSucceeded;
  } finally {
    await database.close();
  }
}

/** Renders the lines about a protocol. */
export const renderResult = (
  { protocol, filled, ranAsReader, operations, lending, logDifferences }: ProtocolResult,
  chain: string,
): string[] => [
  `${protocol} on ${chain}, with ${renderTables(filled)}:`,
  ...(ranAsReader ? [] : ["  note    the SQL ran with this user's rights, because this user may not assume the reader role"]),
  ...operations.flatMap(({ operation, itemCount, responseCount, problems }) =>
    renderOutcome(operation, `${itemCount} items in ${responseCount} responses`, problems),
  ),
  ...(lending === null
    ? []
    : renderOutcome("lending", `${lending.eventCount} events in ${lending.transactionCount} transactions`, lending.problems)),
  ...logDifferences,
];

const renderTables = (filled: FilledTables | null): string => {
  if (filled === null) return "the rows of the index";
  const { logCount, hasMore, reason } = filled;
  return `the rows of ${hasMore ? "the first " : ""}${logCount} stored logs but no read results, because ${reason}`;
};

const renderOutcome = (name: string, found: string, problems: readonly string[]): string[] =>
  problems.length === 0 ? [`  ok      ${name}: ${found}`] : problems.map((problem) => `  failed  ${name}: ${problem}`);
