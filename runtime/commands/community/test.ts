import { resolve } from "node:path";
import { stdout } from "node:process";
import type { Config } from "../../config/config.ts";
import { escapeTerminal } from "../../lib/terminal-text.ts";
import { loadAddedProtocols } from "../../protocols.ts";
import { CommandError } from "../command-error.ts";
import { oneChain } from "../one-chain.ts";
import { openDatabase } from "../open-database.ts";
import { requireDatabase } from "../used-database.ts";
import { type ProtocolResult, tryProtocol } from "./try-protocol.ts";

const print = (line: string): void => void stdout.write(`${escapeTerminal(line)}\n`);

/** `ashlar community test`: checks a directory and tries its operations on the index of a chain; whether all of them work. @throws {ConfigError} with diagnostics. */
export async function testDirectory(config: Config, directory: string | undefined): Promise<boolean> {
  const path = directory === undefined ? config.communityDirectory : resolve(directory);
  if (path === undefined)
    throw new CommandError("No directory: pass it, as in ashlar community test ./endpoints, or set communityDirectory in ashlar.yaml.");
  const added = loadAddedProtocols(path, config.protocols);
  requireDatabase(config);
  const database = await openDatabase(config);
  try {
    const chain = await oneChain(config, database.indexing);
    let succeeded = true;
    for (const protocol of added) {
      const result = await tryProtocol(protocol, { config, chain, database: database.indexing });
      for (const line of renderResult(result, chain.name)) print(line);
      succeeded &&= [...result.operations, ...(result.lending === null ? [] : [result.lending])].every(
        ({ problems }) => problems.length === 0,
      );
    }
    return succeeded;
  } finally {
    await database.close();
  }
}

/** Renders the lines of a protocol. */
export const renderResult = ({ protocol, isIndexed, operations, lending }: ProtocolResult, chain: string): string[] => [
  isIndexed
    ? `${protocol} on ${chain}, with the rows of the index:`
    : `${protocol} on ${chain}, with empty tables, because none are indexed for this declaration: start Ashlar with communityDirectory to fill them.`,
  ...operations.flatMap(({ operation, items, responses, problems }) =>
    renderOutcome(operation, `${items} items in ${responses} responses`, problems),
  ),
  ...(lending === null
    ? []
    : renderOutcome("lending", `${lending.events} events in ${lending.transactions} transactions`, lending.problems)),
];

const renderOutcome = (name: string, found: string, problems: readonly string[]): string[] =>
  problems.length === 0 ? [`  ok      ${name}: ${found}`] : problems.map((problem) => `  failed  ${name}: ${problem}`);
