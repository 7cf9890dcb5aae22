import type { Knex } from "knex";
import type { ConcurrentIndex } from "./concurrent-indexes.ts";

/** One schema step; `name` is the file name, NNNN-name; migrations run in its order. */
export interface Migration {
  readonly name: string;
  /** Whether it only adds tables, columns with defaults or indexes, or replaces indexes, so that servers of older versions work with the new schema. */
  readonly onlyExpands: boolean;
  /** Indexes on large tables, which are built before `up` and outside its transaction, so that writes continue; `down` drops them. */
  readonly concurrentIndexes?: readonly ConcurrentIndex[];
  up(knex: Knex): Promise<void>;
  down(knex: Knex): Promise<void>;
}

/** The database schema is incompatible with this version's migrations. */
export class MigrationError extends Error {
  override readonly name = "MigrationError";
}
