import type { ChainConfig, Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import { readerStatementMilliseconds } from "../../database/reader/reader-statements.ts";
import type { AddedProtocol } from "../../declarations/added-protocol.ts";
import { renderDiagnostic } from "../../declarations/diagnostics.ts";
import type { OperationQuery } from "../../declarations/protocol.ts";
import { fixedContracts } from "../../domains/community/contracts-on-chain.ts";
import { differenceFromIndex } from "../../domains/community/difference-from-index.ts";
import { protocolLogs } from "../../domains/community/queries/emitted-logs.ts";
import type { OpenReader } from "../open-reader.ts";
import { fillTables } from "./fill-tables.ts";
import { diagnoseQuery } from "./plan-queries.ts";
import { renderLogs } from "./render-logs.ts";
import { inRolledBackTransaction, type RolledBackTransaction, type TestConnections } from "./rolled-back-transaction.ts";
import { requestQueries, sampleAddresses } from "./sample-requests.ts";
import { createScratchTables, withDeclaredId } from "./scratch-tables.ts";
import { serveProtocol } from "./serve-protocol.ts";
import { type LendingResult, tryLending } from "./try-lending.ts";

/** The result of testing one operation. */
export interface OperationResult {
  readonly operation: string;
  /** Items in all responses. */
  readonly itemCount: number;
  readonly responseCount: number;
  readonly problems: readonly string[];
}

export interface ProtocolResult {
  readonly protocol: string;
  /** The tables that the operations ran on; null for those of the index. */
  readonly filled: FilledTables | null;
  /** Whether the SQL ran with the reader role's privileges, as it does for requests. */
  readonly ranAsReader: boolean;
  readonly operations: readonly OperationResult[];
  /** Null if the protocol declares no lending events. */
  readonly lending: LendingResult | null;
  /** Differences between the emitted logs and the declaration, as lines of text. */
  readonly logDifferences: readonly string[];
}

/** Tables that were created for the test and filled from stored logs. */
export interface FilledTables {
  /** Why the index does not match the declaration. */
  readonly reason: string;
  readonly logCount: number;
  /** Whether the ledger has more of the protocol's logs than the test reads. */
  readonly hasMore: boolean;
}

export interface TryOptions {
  readonly config: Config;
  readonly chain: ChainConfig;
  readonly database: Database;
  readonly reader: OpenReader;
}

/**
 * Plans each of a protocol's statements and compares its column types, then requests each operation, validating every response against the
 * OpenAPI document, and runs the lending statement, all with the reader role's privileges where possible. Uses the index's tables if they match the
 * declaration; otherwise creates tables and fills them from stored logs. Everything is rolled back.
 */
export const tryProtocol = (added: AddedProtocol, options: TryOptions): Promise<ProtocolResult> =>
  inRolledBackTransaction(options.database, async (rolledBackTransaction) => {
    const { config, chain } = options;
    const milliseconds = Math.min(readerStatementMilliseconds, config.limits.statementMilliseconds);
    const reason = await differenceFromIndex(rolledBackTransaction, chain, added.protocol);
    const target = reason === null ? added : await createScratchTables(rolledBackTransaction, added, options.reader.readerRole);
    const contracts = fixedContracts(added.protocol, chain);
    const filled = reason === null ? null : { reason, ...(await fillTables(rolledBackTransaction, chain, target.protocol, contracts)) };
    const logDifferences = renderLogs(added.protocol, await protocolLogs(rolledBackTransaction, chain.id, target.protocol, contracts));
    const reader = filled === null ? options.reader.reader : await rolledBackTransaction.asReader(options.reader.readerRole, milliseconds);
    const connections: TestConnections = {
      rolledBackTransaction,
      reader: reader ?? (await withTimeout(rolledBackTransaction, milliseconds)),
    };
    const results = await tryOperations(target, options, connections);
    const lending = await tryLending(connections, chain.id, target);
    const declared = (text: string): string => withDeclaredId(text, target, added);
    return {
      protocol: added.protocol.id,
      filled,
      ranAsReader: reader !== null,
      operations: results.map((result) => ({ ...result, problems: result.problems.map(declared) })),
      lending: lending === null ? null : { ...lending, problems: lending.problems.map(declared) },
      logDifferences,
    };
  });

/** The transaction, with the reader role's statement timeout. */
const withTimeout = async (rolledBackTransaction: RolledBackTransaction, milliseconds: number): Promise<RolledBackTransaction> => {
  await rolledBackTransaction.query("SELECT set_config('statement_timeout', $1, true)", [String(milliseconds)]);
  return rolledBackTransaction;
};

const tryOperations = async (
  target: AddedProtocol,
  { config, chain }: TryOptions,
  { rolledBackTransaction, reader }: TestConnections,
): Promise<OperationResult[]> => {
  const addresses = await sampleAddresses(rolledBackTransaction, chain.id, target.protocol);
  const serving = await serveProtocol(target, { config, chain, database: rolledBackTransaction, reader });
  const tryOperation = async (operation: string, query: OperationQuery): Promise<OperationResult> => {
    const planned = (await diagnoseQuery(reader, target, operation, query)).map(renderDiagnostic);
    if (planned.length > 0) return { operation, itemCount: 0, responseCount: 0, problems: planned };
    const sent = await serving.sendAll(operation, requestQueries(target.endpoints[operation]?.parameters ?? [], addresses));
    return {
      operation,
      itemCount: sent.reduce((sum, { itemCount }) => sum + itemCount, 0),
      responseCount: sent.length,
      problems: [...new Set(sent.flatMap(({ problem }) => problem ?? []))],
    };
  };
  try {
    const results: OperationResult[] = [];
    for (const [operation, query] of Object.entries(target.protocol.operations)) results.push(await tryOperation(operation, query));
    return results;
  } finally {
    await serving.stop();
  }
};
