import type { Protocol } from "../../../declarations/protocol.ts";
import type { ChainFacts } from "../../../indexer/projection.ts";
import type { Address } from "../../../lib/hex.ts";
import type { ProtocolRelations } from "../relations.ts";
import type { BlockOfLogs, Candidate } from "./candidates.ts";

/** A contract of a protocol. */
export interface ProtocolContract {
  readonly address: Address;
  readonly kind: string;
}

/** What the functions of a protocol's projection share. */
export interface DeclaredFold {
  readonly protocol: Protocol;
  readonly relations: ProtocolRelations;
  readonly candidatesIn: (decoded: BlockOfLogs) => readonly Candidate[];
  /** Contracts at fixed addresses that were deployed in this block, or before it if it is the first indexed one. */
  readonly startingAt: (block: number, chain: Pick<ChainFacts, "from">) => readonly ProtocolContract[];
}

/** The name of the load of contracts, by address and kind. */
export const contractsLoad = "contracts";
