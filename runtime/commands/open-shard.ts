import type { DatabaseConfig } from "../config/database-config.ts";
import { DatabaseUnavailable, isUnavailable } from "../database/errors.ts";
import { migrate, requireSchema } from "../database/migrate.ts";
import { withAccount } from "../database/with-account.ts";
import { poll } from "../lib/async.ts";
import { availableCores } from "../lib/available-cores.ts";
import { migrations } from "../migrations.ts";
import { announceDatabase } from "./configured-database.ts";
import { createCurrentAddress, type ShardAddress } from "./database-address.ts";
import { describeExternal, type LongRunningOptions, migratesAutomatically, readConnectionPlan } from "./open-database.ts";
import { openReader } from "./open-reader.ts";
import { type ChildProcessCounts, type ConnectionPlan, planConnections } from "./pool-sizes.ts";
import { indexingPool } from "./pools.ts";
import { type OpenShard, openShardPools } from "./shard-pools.ts";

/** PostgreSQL's default connection limit, less those reserved for superusers; assumed for a server that does not respond. */
const defaultMaxConnections = 97;
/** The waits between attempts to prepare a database. */
const retryWaits = { base: 1_000, max: 10_000 };

/**
 * Opens one of the configured `databases` for a process that runs until it is stopped: runs its pending migrations or refuses an older schema, and sets up
 * the reader role. A database that does not respond is prepared as soon as it does: until then, its chains are neither served nor indexed.
 * `onChange` is called when the address of the database has changed. @throws {Error} if the database responds, but cannot be used.
 */
export async function openShard(
  config: DatabaseConfig,
  { shutdown, logger, processes = { workerCount: 0, indexerCount: 0 } }: LongRunningOptions,
  onChange: () => void,
): Promise<OpenShard> {
  announceDatabase(config);
  const { databaseUrl: url = "", databaseName } = config;
  const name = databaseName ?? "";
  const server = { url, description: describeExternal(config, url) };
  const reportedPlan = await knownPlan(config, server, processes);
  const plan = reportedPlan ?? assumedPlan(config, processes);
  const address = createCurrentAddress<ShardAddress>({
    url,
    // Until the role is known, uses an account that cannot log in rather than the owner's.
    readerUrl: withAccount(url, { user: "not-prepared", password: "", database: "postgres" }),
    readerRole: null,
    ...server.description,
    problem: "it has not been prepared yet",
  });
  const indexing = indexingPool(server, plan.owner.indexing);
  const pools = openShardPools(config, address, plan.owner, logger);
  const closed = new AbortController();
  let preparing: Promise<unknown> = Promise.resolve();
  const close = async (): Promise<void> => {
    closed.abort();
    await Promise.all([preparing, pools.close(), indexing.close()]);
  };

  const prepare = async (): Promise<void> => {
    await (migratesAutomatically(config) ? migrate(indexing, migrations) : requireSchema(indexing, migrations));
    const { reader, readerRole, readerUrl } = await openReader(config, server, indexing, 1);
    await reader.close();
    address.change({ ...address.get(), readerUrl: readerUrl(), readerRole, problem: null });
    onChange();
  };
  /** Returns true if the database is prepared, and null if the preparation has to be retried. */
  const attempt = async (): Promise<true | null> => {
    try {
      await prepare();
      logger.info(`Database ${name} is prepared.`);
      return true;
    } catch (error) {
      const problem = reasonOf(error);
      if (problem !== address.get().problem) logger.warn(`Preparing database ${name} failed: ${problem}`);
      address.change({ ...address.get(), problem });
      return null;
    }
  };
  const prepareLater = (): void => {
    preparing = poll(attempt, { ...retryWaits, signal: AbortSignal.any([closed.signal, shutdown.signal]) });
  };
  if (reportedPlan === null) prepareLater();
  else {
    try {
      await prepare();
    } catch (error) {
      if (!isUnavailable(error)) {
        await close();
        throw error;
      }
      prepareLater();
    }
  }
  return { ...pools, name, config, indexing, plan, address: address.get, close };
}

const reasonOf = (error: unknown): string =>
  error instanceof DatabaseUnavailable ? error.reason : error instanceof Error ? error.message : String(error);

/** How to divide the connections that the server accepts; null if it does not respond. */
const knownPlan = (
  config: DatabaseConfig,
  server: Parameters<typeof readConnectionPlan>[1],
  processes: ChildProcessCounts,
): Promise<ConnectionPlan | null> =>
  readConnectionPlan(config, server, processes).catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
    return null;
  });

const assumedPlan = ({ chains }: DatabaseConfig, processes: ChildProcessCounts): ConnectionPlan =>
  planConnections({ ...processes, maxConnections: defaultMaxConnections, cores: availableCores(), chainCount: chains.length });
