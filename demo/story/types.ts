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
  /** Set where it is meant to fail. */
  readonly fails?: true;
  /** A name by which the story's cast finds it. */
  readonly mark?: string;
}

/** What a chapter does on one day, counted from 0; the calls keep their order, and mix with those of other chapters. */
export type Scene = (day: number) => readonly Call[] | Promise<readonly Call[]>;

/** Where a marked transaction ended. */
export interface Landmark {
  readonly hash: Hex;
  readonly block: number;
}

/** What chapters work with. */
export interface ChapterContext {
  readonly artifacts: Artifacts;
  readonly holdings: Holdings;
  /** How many full-length things a story of this scale has, at least one. */
  scaled(count: number): number;
  random(subject: string): Random;
  /** Mines the calls at once, in order; for what must be there before the days begin. */
  play(calls: readonly Call[]): Promise<void>;
  deploy(from: Address, artifact: Artifact, parameters?: readonly unknown[]): Promise<Address>;
  /** Reads a contract at the last block. */
  read<Result>(address: Address, abi: Abi, functionName: string, parameters?: readonly unknown[]): Promise<Result>;
}

/** Number of days that the story tells. */
export const storyDays = 60;
