import type { Address, Hex } from "viem";
import type { Artifact, TestTransaction } from "../chain.ts";
import type { Random } from "./random.ts";

/** A story token at its address. */
export interface TestToken {
  readonly kind: TokenKind;
  readonly address: Address;
  readonly artifact: Artifact;
}

/** The context of a step. */
export interface StepContext {
  readonly random: Random;
  readonly accounts: readonly Address[];
  /** The story's round, from 0. */
  readonly round: number;
  readonly timestamp: number;
  /** A contract that returns half of what it receives. */
  readonly reentrantReceiver: Address;
  readonly anyAccount: () => Address;
  /** A random amount from 10^14 to 10^18. */
  readonly amount: () => bigint;
  /** Calls a view function of a contract at the head. */
  readonly read: (token: TestToken, functionName: string, args: readonly unknown[]) => Promise<unknown>;
  /** A kind's token, by the kind's name. */
  readonly tokenOf: (kindName: string) => TestToken;
  /** Signs EIP-712 typed data with an account's key. */
  readonly sign: (owner: Address, token: TestToken, name: string, primaryType: "Permit", fields: readonly Field[]) => Promise<Hex>;
}

/** A field in a signed message. */
export interface Field {
  readonly name: string;
  readonly type: "address" | "uint256" | "bool";
  readonly value: Address | bigint | boolean;
}

/** Creates one call to a token. The call may fail; the story counts successes and failures. */
export type Step = (token: TestToken, context: StepContext) => TestTransaction | Promise<TestTransaction>;

/** A kind of token; its contract describes what is unusual about it. */
export interface TokenKind {
  /** Its contract's name. */
  readonly name: string;
  /** Steps that are specific to this kind, by name. Each runs once per round. */
  readonly steps?: Readonly<Record<string, Step>>;
  /** The rounds in which these steps run; all by default. */
  readonly rounds?: readonly number[];
  /**
   * Whether balances change without a Transfer that names their owner. At past heights such a balance is known only if reconciliation read it at that
   * height, which it does at the end of each round.
   */
  readonly isSilent?: true;
  /** Whether its events differ from the token standards, so an index need not serve it. Served values must still be correct. */
  readonly isUndetectable?: true;
  /** Whether it can be destroyed; its values cannot be read afterwards. */
  readonly mayBeDestroyed?: true;
  /** Whether it is also a collection, to be compared with `ownerOf`. */
  readonly isAlsoCollection?: true;
}
