import type { Abi } from "viem";
import type { Hex } from "../../runtime/lib/hex.ts";

/** A contract that can be deployed. */
export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}
