import type { Database } from "../database/database.ts";
import type { IndexedChain } from "../operator/indexed-chain.ts";

/** A database that stores chains. */
export interface ChainStore {
  /** Null for the control database. */
  readonly name: string | null;
  /** For queries. */
  readonly database: Database;
  /** For actions on chains, whose statements have no timeout. */
  readonly indexing: Database;
}

/** An indexed chain, and the database that it is stored in. */
export interface StoredChain extends IndexedChain {
  readonly store: ChainStore;
}
