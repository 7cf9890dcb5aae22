import type { Config } from "../config/config.ts";
import { consoleSettingsSchema } from "../config/console.ts";
import { createDatabaseNameOfChain } from "../config/database-config.ts";
import type { ConsoleListener } from "../console/listener.ts";
import { createDatabase } from "../database/database.ts";
import type { Protocol } from "../declarations/protocol.ts";
import type { Logger } from "../logger.ts";
import type { AuditResult } from "../operator/last-audit.ts";
import { CommandError } from "./command-error.ts";
import { storeOf } from "./index-database.ts";
import { urlOf } from "./listening.ts";
import type { ServiceDatabases } from "./open-database.ts";

export interface ConsoleOptions {
  readonly config: Config;
  readonly database: Pick<ServiceDatabases, "indexing" | "address" | "shards">;
  readonly protocols: readonly Protocol[];
  readonly logger: Logger;
  readonly print: (line: string) => void;
}

/** A running console. */
export interface OpenConsole {
  close(): Promise<void>;
}

/** For pages and their requests; actions on chains use the indexing connections, whose statements have no timeout. */
const poolSize = 2;

/** Starts serving the console, and prints its URL; undefined if it is not configured. @throws {CommandError} if it cannot listen on its address */
export async function openConsole({ config, database, protocols, logger, print }: ConsoleOptions): Promise<OpenConsole | undefined> {
  if (config.console === undefined) return undefined;
  const { host, port, publicUrl } = config.console;
  // A process without the console does not load its modules.
  const [{ createConsoleApp }, { openConsoleListener }, { loadAssets }, { storeConsoleUrl }] = await Promise.all([
    import("../console/app.ts"),
    import("../console/listener.ts"),
    import("../console/assets.ts"),
    import("../console/console-url.ts"),
  ]);
  const { name, details } = database.address();
  const pool = createDatabase({
    url: () => database.address().url,
    description: { name, details, problem: () => database.address().problem },
    poolSize,
    statementTimeoutMilliseconds: config.limits.statementMilliseconds,
    applicationName: "ashlar-console",
  });
  try {
    const app = createConsoleApp({
      database: pool,
      indexing: database.indexing,
      shards: database.shards.map((shard) => ({ name: shard.name, database: shard.control, indexing: shard.indexing })),
      databaseNameOf: createDatabaseNameOfChain(config),
      logger,
      assets: await loadAssets(),
      publicUrl,
      trustedProxies: config.trustedProxies,
      audit: (chain, sample) => auditConfigured(config, database, protocols, chain, sample),
      now: () => new Date(),
    });
    const listener = await listen(openConsoleListener, app, { host, port });
    const url = (publicUrl ?? urlOf(listener.address)).replace(/\/+$/, "");
    await storeConsoleUrl(pool, url).catch((error: unknown) => {
      listener.close();
      throw error;
    });
    print(`Console: ${url}/console/ (sign in with ashlar console login)`);
    return {
      async close() {
        listener.close();
        await pool.close();
      },
    };
  } catch (error) {
    await pool.close();
    throw error;
  }
}

/** Like `openConsole`, but uses any free port if the default one is in use, because the demo must start without configuration. */
export async function openDemoConsole(options: ConsoleOptions): Promise<OpenConsole | undefined> {
  const { console: settings } = options.config;
  if (settings === undefined || settings.port !== consoleSettingsSchema.parse({}).port) return openConsole(options);
  return openConsole(options).catch((error: unknown) => {
    if (!(error instanceof PortInUseError)) throw error;
    return openConsole({ ...options, config: { ...options.config, console: { ...settings, port: 0 } } });
  });
}

class PortInUseError extends CommandError {}

async function listen(
  open: typeof import("../console/listener.ts").openConsoleListener,
  app: Parameters<typeof open>[0],
  listenAddress: Parameters<typeof open>[1],
): Promise<ConsoleListener> {
  return open(app, listenAddress).catch((error: NodeJS.ErrnoException) => {
    const Problem = error.code === "EADDRINUSE" ? PortInUseError : CommandError;
    throw new Problem(
      `Cannot serve the console on ${listenAddress.host}:${listenAddress.port} (${error.code ?? "unknown reason"}); choose a different address with CONSOLE_HOST=… and CONSOLE_PORT=….`,
    );
  });
}

/** Audits a configured chain. @throws {CommandError} */
async function auditConfigured(
  config: Config,
  databases: Pick<ServiceDatabases, "indexing" | "shards">,
  protocols: readonly Protocol[],
  name: string,
  sample: number,
): Promise<AuditResult> {
  const [{ auditChain, auditHeightOf }, { resolveOnlyEvmChain }] = await Promise.all([
    import("./audit-chain.ts"),
    import("./resolve-only-evm-chain.ts"),
  ]);
  const chains = config.chains.filter((chain) => chain.name === name);
  const [configured] = chains;
  if (configured === undefined)
    throw new CommandError(`Cannot audit chain ${name}: it is not configured, so its node is unknown; add it to chains in ashlar.yaml.`);
  const { database: indexing } = storeOf(configured, { ...databases, readerRole: null });
  const chain = await resolveOnlyEvmChain({ ...config, chains }, indexing);
  const block = await auditHeightOf(indexing, chain, undefined);
  const rows = await auditChain(indexing, chain, protocols, block, sample);
  const sum = (count: (row: (typeof rows)[number]) => number): number => rows.reduce((total, row) => total + count(row), 0);
  return { block, compared: sum(({ comparedCount }) => comparedCount), differences: sum(({ differences }) => differences.length) };
}
