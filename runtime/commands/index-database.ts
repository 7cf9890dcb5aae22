import { databaseNameOf } from "../config/database-config.ts";
import type { Database } from "../database/database.ts";
import { DatabaseUnavailable } from "../database/errors.ts";
import type { ShardAddress } from "./database-address.ts";

/** The databases that a process indexes chains into. */
export interface IndexDatabases {
  /** Connections to the control database. */
  readonly indexing: Database;
  /** The reader role in the control database. */
  readonly readerRole: string | null;
  readonly shards?: readonly IndexShard[];
}

/** One of the configured `databases`. */
export interface IndexShard {
  readonly name: string;
  readonly indexing: Database;
  address(): ShardAddress;
}

/** A chain's database. */
export interface IndexStore {
  readonly database: Database;
  /** The reader role in the database. @throws {DatabaseUnavailable} until the database has been prepared. */
  readonly readerRole: () => string | null;
}

/** The database that a chain is stored in. */
export function storeOf(
  chain: { readonly name: string; readonly database?: string | undefined },
  { indexing, readerRole, shards = [] }: IndexDatabases,
): IndexStore {
  const name = databaseNameOf(chain);
  if (name === null) return { database: indexing, readerRole: () => readerRole };
  const shard = shards.find((candidate) => candidate.name === name);
  if (shard === undefined) throw new RangeError(`Database ${name} of chain ${chain.name} is not open.`);
  return {
    database: shard.indexing,
    readerRole() {
      const { problem, readerRole: role, ...description } = shard.address();
      if (problem !== null) throw new DatabaseUnavailable("", problem, description);
      return role;
    },
  };
}
