import type { ContractRead, Protocol } from "../../../../declarations/protocol.ts";
import type { LatestTable } from "../../../../indexer/projection.ts";
import { relationsOf, tableOf } from "../../relations.ts";
import { type CompiledRead, compileRead } from "./calls.ts";

/** A read of a protocol that is indexed on the chain. */
export interface DeclaredRead extends CompiledRead {
  readonly protocol: string;
  readonly definition: ContractRead;
  /** The table of its results. */
  readonly table: LatestTable;
  /** The table of the protocol's contracts. */
  readonly contracts: string;
}

/** The reads of protocols. */
export const declaredReads = (protocols: readonly Protocol[]): DeclaredRead[] =>
  protocols.flatMap((protocol) =>
    relationsOf(protocol).reads.map(({ definition, results }) => ({
      protocol: protocol.id,
      definition,
      table: results.table,
      contracts: tableOf(protocol.id, "contracts"),
      ...compileRead(definition),
    })),
  );

/** A contract and block at which a read is due, with the values of its arguments from columns. */
export interface DueRead {
  readonly protocol: string;
  readonly read_name: string;
  readonly contract: `0x${string}`;
  readonly arguments: string;
  readonly block_number: number;
  readonly attempts: number;
}
