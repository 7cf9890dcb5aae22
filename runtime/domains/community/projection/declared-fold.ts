import type { ContractRead, Protocol } from "../../../declarations/protocol.ts";
import type { ChainFacts, Row } from "../../../indexer/projection.ts";
import { groupBy } from "../../../lib/group-by.ts";
import type { Address, Hash } from "../../../lib/hex.ts";
import { groupReads } from "../group-reads.ts";
import { columnArguments, queuedArguments, touchedContract } from "../queued-arguments.ts";
import type { ProtocolRelations } from "../relations.ts";
import type { BlockWithLogs, Candidate } from "./candidates.ts";

/** A contract of a protocol. */
export interface ProtocolContract {
  readonly address: Address;
  readonly kind: string;
}

/** The part of a read needed to queue it. */
export interface ReadTrigger {
  readonly name: string;
  readonly argumentsOf: (row: Row) => string;
  readonly contractOf: (row: Row) => Address | null;
}

/** The first read of each group that is queued together. */
export interface ReadTriggers {
  /** Due at the first block of a contract, by its kind. */
  readonly byKind: ReadonlyMap<string, readonly ReadTrigger[]>;
  /** Due at the rows of a table. */
  readonly byTable: ReadonlyMap<string, readonly ReadTrigger[]>;
}

/** A protocol's reads by trigger. Reads with arguments from columns become due only with a row. */
export const readTriggersOf = (protocol: Protocol): ReadTriggers => {
  const first = groupReads(protocol).flatMap(([read]) => read ?? []);
  const plain = first.filter((read) => columnArguments(read).length === 0);
  const ofTable = (table: string) => first.filter(({ touchedBy }) => touchedBy.includes(table));
  return {
    byKind: new Map([...groupBy(plain, ({ contract }) => contract)].map(([kind, reads]) => [kind, reads.map(toTrigger)])),
    byTable: new Map(protocol.tables.map(({ name }) => [name, ofTable(name).map(toTrigger)])),
  };
};

const toTrigger = (read: ContractRead): ReadTrigger => ({
  name: read.name,
  argumentsOf: queuedArguments(read),
  contractOf: (row) => touchedContract(read, row),
});

/** What the functions of a protocol's projection share. */
export interface DeclaredFold {
  readonly protocol: Protocol;
  readonly relations: ProtocolRelations;
  readonly readTriggers: ReadTriggers;
  /** The first topics of its events. */
  readonly topics: readonly Hash[];
  readonly candidatesIn: (blocks: readonly BlockWithLogs[]) => readonly Candidate[];
  /** Contracts at fixed addresses that were deployed in this block or, if this is the first indexed block, in an earlier one. */
  readonly contractsStartingAt: (block: number, chain: Pick<ChainFacts, "from">) => readonly ProtocolContract[];
}

/** The name of the load of contracts, by address and kind. */
export const contractsLoad = "contracts";
