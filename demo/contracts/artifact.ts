import type { Abi } from "viem";
import type { Hex } from "../../runtime/lib/hex.ts";

/** The ABI and the creation code of a contract. */
export interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}
