import type { Abi } from "viem";
import type { Address, Hex } from "../../runtime/lib/hex.ts";
import type { Artifact } from "../contracts/artifact.ts";
import type { Artifacts } from "../contracts/artifacts.ts";
import type { Holdings } from "./holdings.ts";
import type { Random } from "./random.ts";

/** One transaction of the story. */
export interface Call {
  readonly from: Address;
  /** Null for a contract creation. */
  readonly to: Address | null;
  readonly value?: bigint;
  readonly data?: Hex;
  /** The gas limit; by default 21,000 without data and 400,000 with data. */
  readonly gas?: number;
  /** Set if the transaction is expected to fail. */
  readonly shouldFail?: true;
  /** A name by which the mined transaction is looked up. */
  readonly label?: string;
}

/** Returns a chapter's transactions of a day, counted from 0. They keep their order and are interleaved with other chapters' transactions. */
export type DailyCalls = (day: number) => readonly Call[] | Promise<readonly Call[]>;

/** A mined transaction that has a label. */
export interface LabelledTransaction {
  readonly hash: Hex;
  readonly block: number;
}

/** The context that chapters are built in. */
export interface StoryContext {
  readonly artifacts: Artifacts;
  readonly holdings: Holdings;
  /** Scales a count of the full story; returns at least 1. */
  scaled(count: number): number;
  createRandom(subject: string): Random;
  /** Mines calls immediately and in order, as part of the setup before the first day. */
  mine(calls: readonly Call[]): Promise<void>;
  deploy(from: Address, artifact: Artifact, parameters?: readonly unknown[]): Promise<Address>;
  /** Calls a contract's view function at the last block. */
  read<Result>(address: Address, abi: Abi, functionName: string, parameters?: readonly unknown[]): Promise<Result>;
}

/** The number of days of the story. */
export const storyDays = 60;
