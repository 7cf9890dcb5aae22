import { parseArgs } from "node:util";
import type { StorySize } from "../queries/story.ts";

/** Options of a run. */
export interface ScaleOptions extends StorySize {
  /** The measured time of a cell. */
  readonly milliseconds: number;
  readonly connections: number;
  readonly rows: readonly string[];
  /** Numbers of replicas to compare. */
  readonly replicas: readonly number[];
  /** Numbers of databases to compare: with two, each has a chain, and requests are for both chains in turn. */
  readonly shards: readonly number[];
  /** Numbers of serving processes to compare. */
  readonly processes: readonly number[];
}

/** Parses command-line arguments. @throws {TypeError} for an unknown option. @throws {RangeError} for an invalid number. */
export function parseOptions(args: readonly string[]): ScaleOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      transfers: { type: "string", default: "100000" },
      seed: { type: "string", default: "1" },
      seconds: { type: "string", default: "2" },
      connections: { type: "string", default: "8" },
      rows: { type: "string", default: "1,5,22" },
      replicas: { type: "string", default: "0,1,2" },
      shards: { type: "string", default: "1,2" },
      processes: { type: "string", default: "1,2,3,4" },
    },
  });
  const numbers = (name: keyof typeof values, min: number): number[] => {
    const list = values[name].split(",").map(Number);
    if (list.some((value) => !(value >= min && Number.isFinite(value)))) {
      throw new RangeError(`Invalid value "${values[name]}" for --${name}: expected numbers of at least ${min}.`);
    }
    return list;
  };
  const shards = numbers("shards", 1);
  if (shards.some((count) => count !== 1 && count !== 2))
    throw new RangeError(`Invalid value "${values.shards}" for --shards: expected 1, 2 or 1,2.`);
  const number = (name: keyof typeof values, min: number): number => numbers(name, min)[0] ?? min;
  return {
    seed: number("seed", 0),
    transfers: number("transfers", 1),
    milliseconds: number("seconds", 0.1) * 1000,
    connections: number("connections", 1),
    rows: values.rows.split(",").filter(Boolean),
    replicas: numbers("replicas", 0),
    shards,
    processes: numbers("processes", 1),
  };
}
