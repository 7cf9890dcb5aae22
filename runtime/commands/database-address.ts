import type { DatabaseDescription } from "../database/errors.ts";

/** The location of the database, which a process sends to its child processes. Contains secrets, and changes when an embedded server is restarted. */
export interface DatabaseAddress {
  readonly url: string;
  /** For the role that runs the SQL of declared protocols. */
  readonly readerUrl: string;
  readonly name: string;
  readonly details: string;
  /** Why the database cannot be used, if known. */
  readonly problem: string | null;
}

/** The location of one of the configured `databases`. */
export interface ShardAddress extends DatabaseAddress {
  /** The role that runs the SQL of declared protocols; null until the database has been prepared. */
  readonly readerRole: string | null;
}

/** The locations of a service's databases. */
export interface ServiceAddresses extends DatabaseAddress {
  /** The addresses of the configured `databases`, by name. */
  readonly shards: Readonly<Record<string, ShardAddress>>;
}

/** A changing address, for a child process's pools. */
export interface CurrentAddress<Address extends DatabaseAddress = DatabaseAddress> {
  get(): Address;
  readonly server: { readonly url: () => string; readonly description: DatabaseDescription };
  readonly reader: { readonly url: () => string; readonly description: DatabaseDescription };
  change(address: Address): void;
}

/** Creates the address of a child process's database. */
export function createCurrentAddress<Address extends DatabaseAddress>(first: Address): CurrentAddress<Address> {
  let current = first;
  const description = { name: first.name, details: first.details, problem: () => current.problem };
  return {
    get: () => current,
    server: { url: () => current.url, description },
    reader: { url: () => current.readerUrl, description },
    change(address) {
      current = address;
    },
  };
}

/** The addresses of a service's databases, for a child process's pools. */
export interface CurrentAddresses extends Pick<CurrentAddress, "server" | "reader"> {
  readonly shards: readonly { readonly name: string; readonly address: CurrentAddress<ShardAddress> }[];
  change(address: ServiceAddresses): void;
}

/** Creates the database addresses for a child process. */
export function createCurrentAddresses(first: ServiceAddresses): CurrentAddresses {
  const { change, server, reader } = createCurrentAddress<DatabaseAddress>(first);
  const shards = Object.entries(first.shards).map(([name, address]) => ({ name, address: createCurrentAddress(address) }));
  return {
    server,
    reader,
    shards,
    change(addresses) {
      change(addresses);
      for (const { name, address } of shards) address.change(addresses.shards[name] ?? address.get());
    },
  };
}
