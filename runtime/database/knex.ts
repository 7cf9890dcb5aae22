import knexFactory, { type Knex } from "knex";
import type pg from "pg";

/** Knex over one connection of its own, opened when first used and given back when idle; it leaves values as the parsers make them. */
export function createKnex(url: () => string, applicationName: string, types: pg.CustomTypesConfig): Knex {
  return knexFactory({
    client: "pg",
    connection: () => {
      const connectionString = url();
      // Requested again when the server has come back at another address.
      const expirationChecker = (): boolean => url() !== connectionString;
      return {
        connectionString,
        application_name: applicationName,
        connectionTimeoutMillis: 10_000,
        types,
        expirationChecker,
      } as Knex.PgConnectionConfig;
    },
    pool: { min: 0, max: 1, idleTimeoutMillis: 1_000 },
    acquireConnectionTimeout: 15_000,
    // It would print to the console what it also throws.
    log: { warn: silent, error: silent, debug: silent, deprecate: silent },
  });
}

function silent(): void {}
