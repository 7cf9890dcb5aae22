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
  /** Gas limit, as nothing is estimated; 21,000 when there is no data, 400,000 otherwise. */
  readonly gas?: number;
  /** Set if the transaction is expected to fail. */
  readonly fails?: true;
  /** A name for the cast. */
  readonly mark?: string;
}

/** The transactions of a chapter on a day, counted from 0. They keep their order and are interleaved with those of other chapters. */
export type Scene = (day: number) => readonly Call[] | Promise<readonly Call[]>;

/** The place of a marked transaction. */
export interface Landmark {
  readonly hash: Hex;
  readonly block: number;
}

/** What chapters are built with. */
export interface ChapterContext {
  readonly artifacts: Artifacts;
  readonly holdings: Holdings;
  /** Scales a count of the full story, to at least one. */
  scaled(count: number): number;
  random(subject: string): Random;
  /** Mines the calls at once, in order: the setup before the first day. */
  play(calls: readonly Call[]): Promise<void>;
  deploy(from: Address, artifact: Artifact, parameters?: readonly unknown[]): Promise<Address>;
  /** Reads a contract at the last block. */
  read<Result>(address: Address, abi: Abi, functionName: string, parameters?: readonly unknown[]): Promise<Result>;
}

/** The number of days of the story. */
export const storyDays = 60;
