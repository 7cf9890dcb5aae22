import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "../../runtime/database/database.ts";
import { largeWallets } from "./bare-statement.ts";
import { compareBytes } from "./compare-bytes.ts";
import { createFunctions, functionSchema, graphqlBodies, type PeerStatement, peerStatements, statementIn } from "./peer-statements.ts";
import { type ServerProcess, startProcess } from "./processes.ts";
import type { Programs } from "./product.ts";
import type { RowCase } from "./row-case.ts";

const peersFolder = fileURLToPath(new URL("../peers/", import.meta.url));

/** PostGraphile 5 requires Node.js 22. */
const node22 = join(peersFolder, "node_modules/node/bin/node");

/** The servers of other libraries, on the database of the bare server. */
export interface PeerServers {
  /** Hono and drizzle, which Ponder serves endpoints with; sends the same bytes as the bare server. */
  readonly ponder: ServerProcess;
  /** Sends the rows of the bare server's statement as GraphQL. */
  readonly postgraphile: ServerProcess;
  readonly bodiesOf: (rowCase: RowCase) => readonly string[];
  /** Compares responses of `ponder` with the product's, and responses of `postgraphile` with rows of the database. @throws {Error} if they differ. */
  check(rowCase: RowCase, productPort: number, key: string): Promise<void>;
  stop(): Promise<void>;
}

/** @throws {Error} if the packages of the peers are not installed. */
export function requirePeers(): void {
  if (!existsSync(join(peersFolder, "node_modules/postgraphile")) || !existsSync(node22))
    throw new Error("The peers are not installed; run npm install --prefix bench/peers first.");
}

/** The inputs of `startPeers`. */
export interface PeersOptions {
  readonly programs: Programs;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly poolSize: number;
  readonly folder: string;
  readonly cases: readonly RowCase[];
}

/** Creates the functions that PostGraphile serves, and starts the servers. */
export async function startPeers({ programs, database, databaseUrl, poolSize, folder, cases }: PeersOptions): Promise<PeerServers> {
  const statements = await peerStatements(database, cases);
  await createFunctions(database, statements);
  const start = (script: string, argument: unknown, program?: string): Promise<ServerProcess> =>
    startProcess(
      [join(peersFolder, "endpoints", `${script}.js`), JSON.stringify(argument)],
      { NODE_ENV: "production", GRAPHILE_ENV: "production" },
      join(folder, `${script}.log`),
      program,
    );
  const ponder = await start("ponder-stack", {
    databaseUrl,
    poolSize,
    statements: Object.fromEntries(statements.map(({ name, text }) => [name, text])),
    routes: programs.routes.href,
    largeWallets: [...largeWallets],
  });
  const postgraphile = await start("postgraphile", { databaseUrl, poolSize, schema: functionSchema }, node22).catch(
    async (error: unknown) => {
      await ponder.stop();
      throw error;
    },
  );
  return {
    ponder,
    postgraphile,
    bodiesOf: (rowCase) => graphqlBodies(rowCase, statements),
    check: async (rowCase, productPort, key) => {
      await compareBytes(rowCase, { product: productPort, other: ponder.port }, key);
      await compareRows(database, rowCase, statements, postgraphile.port);
    },
    async stop() {
      await ponder.stop();
      await postgraphile.stop();
    },
  };
}

interface GraphqlRequest {
  readonly variables: Readonly<Record<string, string>>;
}

interface GraphqlResponse {
  readonly errors?: readonly { readonly message: string }[];
  readonly data?: { readonly rows: readonly unknown[] };
}

const comparedRequests = 12;

/** Compares PostGraphile's responses to some requests with the rows of the statement. @throws {Error} if they differ. */
async function compareRows(database: Database, rowCase: RowCase, statements: readonly PeerStatement[], port: number): Promise<void> {
  const bodies = graphqlBodies(rowCase, statements);
  const { text } = statementIn(statements, rowCase);
  const step = Math.max(1, Math.floor(bodies.length / comparedRequests));
  for (let position = 0; position < bodies.length; position += step) {
    const body = bodies[position] ?? "";
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const { errors, data } = (await response.json()) as GraphqlResponse;
    if (errors !== undefined) throw new Error(`Row ${rowCase.row}: PostGraphile returned an error: ${errors[0]?.message}`);
    const { variables }: GraphqlRequest = JSON.parse(body);
    const rows = await database.query(text, Object.values(variables));
    if (JSON.stringify(data?.rows) !== JSON.stringify(rows))
      throw new Error(`Row ${rowCase.row}: PostGraphile's rows for ${JSON.stringify(variables)} differ from the statement's.`);
  }
}
