import type { DatabaseDescription } from "../database/errors.ts";

/** Where the database is, as a process describes it to its child processes. It contains secrets, and changes when an embedded server is restarted. */
export interface DatabaseAddress {
  readonly url: string;
  /** For the role that runs the SQL of declared protocols. */
  readonly readerUrl: string;
  readonly name: string;
  readonly details: string;
  /** The reason why the database cannot be used now, if it is known. */
  readonly problem: string | null;
}

/** An address that changes, for the pools of a child process. */
export interface CurrentAddress {
  readonly server: { readonly url: () => string; readonly description: DatabaseDescription };
  readonly reader: { readonly url: () => string; readonly description: DatabaseDescription };
  change(address: DatabaseAddress): void;
}

/** Creates the address of a child process's database. */
export function createCurrentAddress(first: DatabaseAddress): CurrentAddress {
  let current = first;
  const description = { name: first.name, details: first.details, problem: () => current.problem };
  return {
    server: { url: () => current.url, description },
    reader: { url: () => current.readerUrl, description },
    change(address) {
      current = address;
    },
  };
}
