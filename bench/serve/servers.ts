import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "../../runtime/database/database.ts";
import type { BareArgument } from "./bare/main.ts";
import { largeWallets, statementsFolder } from "./bare-statement.ts";
import type { ExpressArgument } from "./express/main.ts";
import { type PeerServers, startPeers } from "./peers.ts";
import { type ServerProcess, startProcess } from "./processes.ts";
import { type Programs, startProduct } from "./product.ts";
import type { RowCase } from "./row-case.ts";

/** PostgreSQL connections of the bare and Express servers, and pgbench clients. */
export const barePoolSize = 8;

/** The compared servers on one database. */
export interface Servers {
  /** Without cached responses. */
  readonly product: ServerProcess;
  /** With cached responses. */
  readonly cached: ServerProcess;
  readonly bare: ServerProcess;
  readonly express: ServerProcess;
  /** Null if they are not measured. */
  readonly peers: PeerServers | null;
  stop(): Promise<void>;
}

/** The inputs of `startServers`. */
export interface ServersOptions {
  readonly programs: Programs;
  readonly database: Database;
  readonly databaseUrl: string;
  readonly folder: string;
  readonly cases: readonly RowCase[];
  readonly withPeers: boolean;
}

type Stoppable = Pick<ServerProcess, "stop">;

/** Starts all servers; if one fails to start, those already started are stopped. */
export async function startServers({ programs, database, databaseUrl, folder, cases, withPeers }: ServersOptions): Promise<Servers> {
  const started: Stoppable[] = [];
  const start = async <Server extends Stoppable>(starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    started.push(server);
    return server;
  };
  const stop = async (): Promise<void> => {
    for (const server of started) await server.stop();
  };
  const cachedFolder = join(folder, "cached");
  mkdirSync(cachedFolder);
  const bareArgument: BareArgument = { databaseUrl, poolSize: barePoolSize, statements: statementsFolder, largeWallets: [...largeWallets] };
  const expressArgument: ExpressArgument = {
    ...bareArgument,
    document: writeDocument(folder, cases),
  };
  try {
    return {
      product: await start(startProduct(programs, databaseUrl, folder)),
      cached: await start(startProduct(programs, databaseUrl, cachedFolder, { cachesResponses: true })),
      bare: await start(startProcess([fileURLToPath(programs.bare), JSON.stringify(bareArgument)], {}, join(folder, "bare.log"))),
      express: await start(
        startProcess(
          [fileURLToPath(programs.express), JSON.stringify(expressArgument)],
          { NODE_ENV: "production" },
          join(folder, "express.log"),
        ),
      ),
      peers: withPeers ? await start(startPeers({ programs, database, databaseUrl, poolSize: barePoolSize, folder, cases })) : null,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface OpenApiDocument {
  readonly paths: Readonly<Record<string, unknown>>;
}

/** Writes an OpenAPI document with only the operations of the cases, because the validator tries all of them for each request. Returns its path. */
function writeDocument(folder: string, cases: readonly RowCase[]): string {
  const { paths, ...rest }: OpenApiDocument = JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8"));
  const requests = cases.map((rowCase) => rowCase.paths[0]?.split("?")[0] ?? "");
  const isRequested = (template: string): boolean => {
    const pattern = new RegExp(`^${template.replace(/\{[^}]+\}/g, "[^/]+")}$`);
    return requests.some((request) => pattern.test(request));
  };
  const file = join(folder, "express.openapi.json");
  const requested = Object.fromEntries(Object.entries(paths).filter(([template]) => isRequested(template)));
  writeFileSync(file, JSON.stringify({ ...rest, paths: requested }));
  return file;
}
