import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { communityObjects } from "../../../generated/community-items.gen.ts";
import type { ChainConfig, Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import { readerStatementMilliseconds } from "../../database/reader/reader-statements.ts";
import { identifier, joinSql, sql } from "../../database/sql.ts";
import type { AddedProtocol } from "../../declarations/added-protocol.ts";
import type { OperationQuery, Protocol } from "../../declarations/protocol.ts";
import { protocolsOn } from "../../domains/community/contracts-on-chain.ts";
import { installationOf } from "../../domains/community/install/statements.ts";
import { columnProblems } from "../../domains/community/queries/column-types.ts";
import { projectionIdOf, tableOf } from "../../domains/community/relations.ts";
import { createKeys } from "../../http/keys.ts";
import { resetCheckpoint } from "../../indexer/storage/checkpoints.ts";
import { startServing } from "../serving.ts";
import { rolledBack } from "./rolled-back.ts";
import { type LendingResult, tryLending } from "./try-lending.ts";

/** What the test of one operation found. */
export interface OperationResult {
  readonly operation: string;
  /** Items of all responses. */
  readonly items: number;
  readonly responses: number;
  readonly problems: readonly string[];
}

export interface ProtocolResult {
  readonly protocol: string;
  /** Whether the operations ran on the tables of the index; otherwise on empty ones, because the index has none that the declaration would create. */
  readonly isIndexed: boolean;
  readonly operations: readonly OperationResult[];
  /** Null if the protocol declares no lending events. */
  readonly lending: LendingResult | null;
}

export interface TryOptions {
  readonly config: Config;
  readonly chain: ChainConfig;
  readonly database: Database;
}

const maxWallets = 5;
const maxPools = 3;
/** An address without rows. */
const emptyWallet = "0x000000000000000000000000000000000000dead";

/**
 * Plans each statement of a protocol and compares the types of its columns, then requests each operation, with every response validated against the document,
 * and runs the statement of lending events.
 * The tables are those of the index if they are as declared; otherwise they are created. All of it is rolled back.
 */
export const tryProtocol = (added: AddedProtocol, { config, chain, database }: TryOptions): Promise<ProtocolResult> =>
  rolledBack(database, async (inside) => {
    const isIndexed = await hasTables(inside, added.protocol);
    const tried = isIndexed ? added : await createTables(inside, chain, renamed(added, `test_${randomBytes(4).toString("hex")}`));
    const operations: OperationResult[] = [];
    const send = await serve(tried, { config, chain, database: inside });
    const [wallets, pools] = await samples(inside, chain.id, tried.protocol);
    await limitStatements(inside, config);
    const declared = (text: string): string => text.replaceAll(tried.protocol.id, added.protocol.id);
    try {
      for (const [name, query] of Object.entries(tried.protocol.operations)) {
        const problems = await problemsOfColumns(inside, tried, name, query);
        const { parameters = [] } = tried.endpoints[name] ?? {};
        const found = problems.length > 0 ? [] : await send.all(name, queriesOf(parameters, wallets, pools));
        operations.push({
          operation: name,
          items: found.reduce((sum, { items }) => sum + items, 0),
          responses: found.length,
          problems: [...new Set([...problems, ...found.flatMap(({ problem }) => problem ?? [])])].map(declared),
        });
      }
    } finally {
      await send.stop();
    }
    const lending = await tryLending(inside, chain.id, tried.protocol);
    return {
      protocol: added.protocol.id,
      isIndexed,
      operations,
      lending: lending === null ? null : { ...lending, problems: lending.problems.map(declared) },
    };
  });

/** The statements of this transaction may take as long as those of requests, which the reader role runs. */
const limitStatements = async (database: Database, { limits }: Config): Promise<void> => {
  const milliseconds = Math.min(readerStatementMilliseconds, limits.statementMilliseconds);
  await database.query("SELECT set_config('statement_timeout', $1, true)", [String(milliseconds)]);
};

const hasTables = async (database: Database, protocol: Protocol): Promise<boolean> => {
  const [row] = await database.query<{ fingerprint: string }>("SELECT fingerprint FROM community_protocols WHERE id = $1", [protocol.id]);
  return row?.fingerprint === installationOf(protocol).fingerprint;
};

/** A protocol under another id. The checker inserted the schema, in quotation marks, before the tables of the text. */
const renamed = (added: AddedProtocol, id: string): AddedProtocol => {
  const { protocol } = added;
  const moved = <Query extends OperationQuery>(query: Query): Query => ({
    ...query,
    text: query.text.replaceAll(`"cq_${protocol.id}".`, `"cq_${id}".`),
  });
  const operations = Object.fromEntries(Object.entries(protocol.operations).map(([name, query]) => [name, moved(query)]));
  const lending = protocol.lending === null ? null : moved(protocol.lending);
  return { ...added, protocol: { ...protocol, id, name: id, operations, lending } };
};

const createTables = async (database: Database, chain: ChainConfig, added: AddedProtocol): Promise<AddedProtocol> => {
  const { protocol } = added;
  await database.transaction(async (client) => {
    for (const statement of installationOf(protocol).statements) await client.query(statement);
    const [head] = await client.query<{ number: number }>("SELECT max(number) AS number FROM blocks WHERE chain_id = $1", [chain.id]);
    await resetCheckpoint(client, chain.id, projectionIdOf(protocol.id), 0, head?.number ?? -1);
  });
  return added;
};

/** The values of the first columns that are addresses, and contracts of the protocol. */
const samples = async ({ query }: Database, chainId: number, { id, tables }: Protocol): Promise<readonly [string[], string[]]> => {
  const columns = tables.flatMap(({ name, columns }) =>
    columns.filter(({ type }) => type === "address").map((column) => [name, column.name] as const),
  );
  const selects = columns.map(
    ([table, column]) =>
      sql`SELECT address FROM (SELECT DISTINCT ${identifier(column)} AS address FROM ${identifier(tableOf(id, table))} WHERE chain_id = $1 LIMIT 2) found`,
  );
  const wallets =
    selects.length === 0 ? [] : await query<{ address: string }>(sql`${joinSql(selects, sql` UNION `)} LIMIT ${maxWallets}`, [chainId]);
  const pools = await query<{ address: string }>(
    sql`SELECT DISTINCT address FROM ${identifier(tableOf(id, "contracts"))} WHERE chain_id = $1 LIMIT ${maxPools}`,
    [chainId],
  );
  return [[...wallets.map(({ address }) => address), emptyWallet], pools.map(({ address }) => address)];
};

const problemsOfColumns = async (database: Database, added: AddedProtocol, name: string, query: OperationQuery): Promise<string[]> => {
  const item = added.endpoints[name]?.item ?? "";
  const fields = added.objects[item]?.fields ?? communityObjects[item] ?? [];
  const problemOf = (error: unknown): string[] => [
    `The statement cannot be planned: ${error instanceof Error ? error.message : String(error)}`,
  ];
  return columnProblems(database, query, fields).catch(problemOf);
};

const queriesOf = (parameters: readonly string[], wallets: readonly string[], pools: readonly string[]): string[] => {
  const addresses = parameters.includes("address") ? wallets.map((wallet) => `?address=${wallet}`) : ["?"];
  const restricted = parameters.includes("pool-address") ? ["", ...pools.map((pool) => `&pool-address=${pool}`)] : [""];
  return addresses.flatMap((address) => restricted.map((pool) => address + pool));
};

interface Sent {
  readonly items: number;
  readonly problem: string | null;
}

/** Serves one protocol on a chain, to which a contract is added if the declaration has none there. */
const serve = async (added: AddedProtocol, { config, chain, database }: TryOptions) => {
  const { protocol } = added;
  const [kind = ""] = Object.keys(protocol.contracts);
  const isOn = protocolsOn([protocol], chain).length > 0;
  const community = isOn ? chain.community : { ...chain.community, [protocol.id]: { [kind]: [emptyWallet] } };
  const violations: string[] = [];
  const serving = await startServing({
    config: { ...config, host: "127.0.0.1", port: 0, validate: "strict" },
    chains: [{ ...chain, community: community as ChainConfig["community"] }],
    database,
    reader: database,
    protocols: [protocol],
    added: [added],
    logger: pino({ level: "error" }, { write: (line: string) => void violations.push(reasonOf(line)) }),
  });
  const { key } = await createKeys(database).create({ label: "community test" });
  const one = async (name: string, query: string): Promise<Sent> => {
    violations.length = 0;
    const response = await fetch(`${serving.url}/v1/cq/provider/app/${protocol.id}/${name}/${query}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const body = (await response.json()) as {
      readonly data: { readonly items: readonly unknown[] } | null;
      readonly error_message: string | null;
    };
    // No pool of an operation has every contract.
    if (response.status === 200 || response.status === 404) return { items: body.data?.items.length ?? 0, problem: null };
    return { items: 0, problem: violations.length > 0 ? violations.join("; ") : `${response.status} ${body.error_message}` };
  };
  return {
    all: async (name: string, queries: readonly string[]): Promise<Sent[]> => {
      const sent: Sent[] = [];
      for (const query of queries) sent.push(await one(name, query));
      return sent;
    },
    stop: () => serving.stop(),
  };
};

/** Why a request failed, from a line of the log. */
const reasonOf = (line: string): string => {
  const {
    violations = [],
    reason,
    msg = "",
  } = JSON.parse(line) as {
    readonly violations?: readonly { readonly pointer: string; readonly reason: string }[];
    readonly reason?: string;
    readonly msg?: string;
  };
  return violations.length > 0 ? violations.map(({ pointer, reason: why }) => `${pointer} ${why}`).join(", ") : (reason ?? msg);
};
