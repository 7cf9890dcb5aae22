import { createDatabase, type Database } from "../../runtime/database/database.ts";
import { startEmbedded } from "../../runtime/database/embedded.ts";
import { migrate } from "../../runtime/database/migrate.ts";
import { migrations } from "../../runtime/migrations.ts";

/** An embedded server with Ashlar's settings, and named databases on it. */
export interface BenchServer {
  urlOf(name: string): string;
  /** Creates a migrated database, replacing one of the same name. Returns its URL. */
  create(name: string): Promise<string>;
  /** Copies a database, replacing one of the same name. */
  copy(name: string, to: string): Promise<void>;
  drop(name: string): Promise<void>;
  rename(name: string, to: string): Promise<void>;
  names(): Promise<readonly string[]>;
  /** Runs work on a database and closes the connections. */
  runOn<T>(name: string, work: (database: Database) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Starts the server with its data in a folder. */
export async function startBenchServer(dataDirectory: string, settings: Readonly<Record<string, string>> = {}): Promise<BenchServer> {
  const server = await startEmbedded({ dataDirectory, settings });
  const urlOf = (name: string): string => {
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return url.href;
  };
  const withDatabase = async <T>(url: string, work: (database: Database) => Promise<T>): Promise<T> => {
    const database = createDatabase({ url, poolSize: 4, statementTimeoutMilliseconds: 0, applicationName: "ashlar-bench" });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  };
  const drop = async (name: string): Promise<void> => {
    await withDatabase(server.url, (database) => database.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  };
  return {
    urlOf,
    drop,
    rename: async (name, to) => {
      await withDatabase(server.url, (database) => database.query(`ALTER DATABASE ${name} RENAME TO ${to}`));
    },
    create: async (name) => {
      await drop(name);
      await withDatabase(server.url, (database) => database.query(`CREATE DATABASE ${name} TEMPLATE template0`));
      await withDatabase(urlOf(name), (database) => migrate(database, migrations));
      return urlOf(name);
    },
    copy: async (name, to) => {
      await drop(to);
      // Copies files; the default strategy writes every page to the WAL too.
      await withDatabase(server.url, (database) => database.query(`CREATE DATABASE ${to} TEMPLATE ${name} STRATEGY file_copy`));
    },
    names: () =>
      withDatabase(server.url, async (database) => {
        const rows = await database.query<{ name: string }>("SELECT datname::text AS name FROM pg_database WHERE NOT datistemplate");
        return rows.map((row) => row.name);
      }),
    runOn: (name, work) => withDatabase(urlOf(name), work),
    stop: () => server.stop(),
  };
}
