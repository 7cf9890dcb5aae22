import type { Address, Hex } from "viem";
import type { Artifact, TestTransaction } from "../chain.ts";
import type { Random } from "./random.ts";

/** A token of the story at its address. */
export interface OddToken {
  readonly kind: Kind;
  readonly address: Address;
  readonly artifact: Artifact;
}

/** What a step of the story is made from. */
export interface Stage {
  readonly random: Random;
  readonly people: readonly Address[];
  /** Which act of the story it is, from 0. */
  readonly act: number;
  readonly timestamp: number;
  /** A contract that sends half of what it receives back. */
  readonly reentering: Address;
  readonly somebody: () => Address;
  /** From 10^14 to 10^18. */
  readonly amount: () => bigint;
  /** What a contract answers at the head. */
  readonly read: (token: OddToken, functionName: string, args: readonly unknown[]) => Promise<unknown>;
  /** The address of a kind's token. */
  readonly tokenOf: (kindName: string) => OddToken;
  /** An EIP-712 signature of one of the people. */
  readonly sign: (owner: Address, token: OddToken, name: string, primaryType: "Permit", fields: readonly Field[]) => Promise<Hex>;
}

/** A field of a message that is signed. */
export interface Field {
  readonly name: string;
  readonly type: "address" | "uint256" | "bool";
  readonly value: Address | bigint | boolean;
}

/** One call of a token. It may fail: the story counts what succeeds. */
export type Step = (token: OddToken, stage: Stage) => TestTransaction | Promise<TestTransaction>;

/** A kind of token: what is odd about it is said above its contract. */
export interface Kind {
  /** Its contract's name. */
  readonly name: string;
  /** What only this kind can do, once in each act; the name is the function's unless it says otherwise. */
  readonly steps?: Readonly<Record<string, Step>>;
  /** Acts in which its own steps are taken; all unless given. */
  readonly acts?: readonly number[];
  /**
   * Balances change where no Transfer names their owner. At a past height such a balance is known where the comparing came to it at that height: the heights at
   * which each act ends.
   */
  readonly isSilent?: true;
  /** Its events are none that an index has to take for a token's: nothing need be served of it, and nothing wrong may be. */
  readonly isUnseen?: true;
  /** It can disappear: what it had then cannot be asked for any more. */
  readonly mayBeGone?: true;
  /** It moves ids as well: what is listed as a collection is compared with `ownerOf`. */
  readonly isCollectionToo?: true;
}
