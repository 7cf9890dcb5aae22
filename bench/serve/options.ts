import { parseArgs } from "node:util";
import { availableCores } from "../../runtime/lib/available-cores.ts";
import type { StorySize } from "../queries/story.ts";
import { numberOption } from "../support/number-option.ts";

/** The number of connections at which the servers are compared with the targets, if it is measured. */
export const comparedConnections = 32;

/** Options of a run. */
export interface Options extends StorySize {
  /** How long a cell is measured. A cell is one server with one number of connections. */
  readonly milliseconds: number;
  readonly connections: readonly number[];
  /** How often the product and the bare server are measured in turn, with the fewest connections and with `comparedConnections`. */
  readonly rounds: number;
  /** Rows to measure; all if empty. */
  readonly rows: readonly string[];
  readonly profile: boolean;
  readonly explain: boolean;
  /** Numbers of workers to compare; none if empty. */
  readonly workers: readonly number[];
  /** The cores of PostgreSQL in the estimate for more workers. */
  readonly databaseCores: number;
  /** Measures the remaining rows after one has failed. */
  readonly keepGoing: boolean;
  /** Whether the servers of other libraries in bench/peers are measured. */
  readonly peers: boolean;
}

/** The warm-up of a cell. */
export const warmUpMilliseconds = 300;
/** The warm-up of a row's first cell on a server, in which its code is compiled. */
export const firstWarmUpMilliseconds = 1500;

/** Seconds for the start of servers, and per row for its checks, its statement in pgbench and its first warm-ups, on a quiet machine. */
const startSeconds = 60;
const checkSeconds = 12;
/** The time that a load process takes to start. */
const loadSeconds = 0.25;
const minCellSeconds = 0.4;
const maxCellSeconds = 5;
const allRowCount = 16;
/** Other cells of a row: cached, compressed and Express. */
const otherColumns = 3;
/** Ponder's libraries and PostGraphile. */
const peerColumns = 2;

const numbersOf = (name: string, list: string): number[] =>
  list
    .split(",")
    .filter(Boolean)
    .map((text) => numberOption({ [name]: text }, name));

/** Parses command-line arguments. @throws {TypeError} for an unknown option. @throws {RangeError} for an invalid number. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      transfers: { type: "string", default: "1000000" },
      seed: { type: "string", default: "1" },
      minutes: { type: "string", default: "11" },
      seconds: { type: "string" },
      connections: { type: "string", default: "1,8,32,128" },
      rounds: { type: "string", default: "3" },
      rows: { type: "string", default: "" },
      profile: { type: "boolean", default: false },
      explain: { type: "boolean", default: false },
      workers: { type: "string", default: "" },
      "database-cores": { type: "string", default: String(availableCores()) },
      "keep-going": { type: "boolean", default: false },
      peers: { type: "boolean", default: false },
    },
  });
  const rows = values.rows.split(",").filter(Boolean);
  const [connections, workers] = [numbersOf("connections", values.connections), numbersOf("workers", values.workers)];
  if (connections.length === 0) throw new RangeError('Invalid value "" for --connections: expected numbers above 0, separated by commas.');
  const rounds = numberOption(values, "rounds");
  const cells = cellsOfRow(connections.length, rounds) + workers.length + (values.peers ? peerColumns : 0);
  const { seconds: given } = values;
  const seconds =
    given === undefined
      ? cellSeconds(numberOption(values, "minutes"), rows.length || allRowCount, cells)
      : numberOption({ seconds: given }, "seconds");
  return {
    seed: numberOption(values, "seed"),
    transfers: numberOption(values, "transfers"),
    milliseconds: seconds * 1000,
    connections,
    rounds,
    rows,
    profile: values.profile,
    explain: values.explain,
    workers,
    databaseCores: numberOption(values, "database-cores"),
    keepGoing: values["keep-going"],
    peers: values.peers,
  };
}

/** A row's cells: both servers `rounds` times with two of the connection counts, and once with the others. */
const cellsOfRow = (connectionCounts: number, rounds: number): number =>
  2 * (Math.min(2, connectionCounts) * rounds + Math.max(0, connectionCounts - 2)) + otherColumns;

/** Returns the measured seconds per cell that make the run take a number of minutes. */
function cellSeconds(minutes: number, rows: number, cells: number): number {
  const ofRow = (minutes * 60 - startSeconds) / rows - checkSeconds;
  const seconds = ofRow / cells - warmUpMilliseconds / 1000 - loadSeconds;
  return Math.min(maxCellSeconds, Math.max(minCellSeconds, seconds));
}
