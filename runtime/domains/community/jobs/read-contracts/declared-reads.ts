import type { ContractRead, Protocol } from "../../../../declarations/protocol.ts";
import type { LatestTable } from "../../../../indexer/projection.ts";
import { groupReads } from "../../group-reads.ts";
import { relationsOf, tableOf } from "../../relations.ts";
import { type CompiledRead, compileRead } from "./compile-read.ts";

/** A read of a protocol indexed on the chain. */
export interface DeclaredRead extends CompiledRead {
  readonly protocol: string;
  readonly definition: ContractRead;
  /** The name of its group's first read, under which it is queued; see `groupReads`. */
  readonly group: string;
  /** The table of its results. */
  readonly table: LatestTable;
  /** The table of its newest results; null if there is none. */
  readonly latestTable: LatestTable | null;
  /** The table of the protocol's contracts. */
  readonly contractsTable: string;
}

/** The reads of protocols. */
export const declaredReads = (protocols: readonly Protocol[]): DeclaredRead[] =>
  protocols.flatMap((protocol) => {
    const groups = new Map(groupReads(protocol).flatMap((group) => group.map(({ name }) => [name, group[0]?.name ?? name] as const)));
    return relationsOf(protocol).reads.map(({ definition, results, latest }) => ({
      protocol: protocol.id,
      definition,
      group: groups.get(definition.name) ?? definition.name,
      table: results.table,
      latestTable: latest?.table ?? null,
      contractsTable: tableOf(protocol.id, "contracts"),
      ...compileRead(definition),
    }));
  });

/** The first read of each group, whose name identifies the group in the queue and the schedule. */
export const firstOfGroups = (reads: readonly DeclaredRead[]): DeclaredRead[] =>
  reads.filter(({ definition, group }) => definition.name === group);

/** A contract and block at which a group's reads are due, with the argument values from columns. */
export interface DueRead {
  readonly protocol: string;
  readonly read_name: string;
  readonly contract: `0x${string}`;
  readonly arguments: string;
  readonly block_number: number;
  readonly attempts: number;
}
