import knexFactory, { type Knex } from "knex";
import type pg from "pg";
import { serverUrlOf } from "./hosts/client.ts";

/** Creates Knex with its own connection, which is opened on first use and closed when idle; `types` parses values. */
export function createKnex(url: () => string, applicationName: string, types: pg.CustomTypesConfig): Knex {
  return knexFactory({
    client: "pg",
    connection: async () => {
      const current = url();
      // The connection is replaced after the server was restarted at a different address.
      const expirationChecker = (): boolean => url() !== current;
      return {
        connectionString: await serverUrlOf(current),
        application_name: applicationName,
        connectionTimeoutMillis: 10_000,
        types,
        expirationChecker,
      } as Knex.PgConnectionConfig;
    },
    pool: { min: 0, max: 1, idleTimeoutMillis: 1_000 },
    acquireConnectionTimeout: 15_000,
    // Knex would print to the console the errors that it also throws.
    log: { warn: silent, error: silent, debug: silent, deprecate: silent },
  });
}

function silent(): void {}
