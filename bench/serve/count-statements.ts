import { median } from "../result.ts";
import type { RowCase } from "./row-case.ts";
import type { SentStatement, StatementProxy } from "./statement-proxy.ts";

/** The statements that a request to an otherwise idle server runs; the database is local, so a round trip takes a fraction of a millisecond. */
export interface RequestStatements {
  readonly statementCount: number;
  /** The longest chain of statements in which each begins after the previous one ends. */
  readonly sequentialCount: number;
  /** The last request's statements in the order in which they began; times are relative to the first one. */
  readonly lastStatements: readonly SentStatement[];
}

const requestsPerPass = 6;

/**
 * Sends a row's requests in sequence, twice, and counts the statements in the second pass: by then the server has cached what does not change, as
 * under load.
 */
export async function countStatements(
  { row, paths }: RowCase,
  port: number,
  key: string,
  proxy: StatementProxy,
): Promise<RequestStatements> {
  const counts: { statementCount: number; sequentialCount: number }[] = [];
  let lastStatements: readonly SentStatement[] = [];
  for (let request = 0; request < 2 * requestsPerPass; request += 1) {
    const path = paths[(request % requestsPerPass) % paths.length];
    proxy.take();
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
    await response.text();
    if (response.status !== 200) throw new Error(`Row ${row}: ${path} returned status ${response.status}.`);
    lastStatements = proxy.take().sort((left, right) => left.startedAt - right.startedAt);
    counts.push({ statementCount: lastStatements.length, sequentialCount: longestChain(lastStatements) });
  }
  const warm = counts.slice(requestsPerPass);
  // The median, because background writes of usage and anchors coincide with some requests.
  const typical = (part: "statementCount" | "sequentialCount"): number => median(warm.map((count) => count[part]));
  return { statementCount: typical("statementCount"), sequentialCount: typical("sequentialCount"), lastStatements };
}

/** The size of the largest set of statements that do not overlap in time (greedy by end time). */
function longestChain(sent: readonly SentStatement[]): number {
  let [count, end] = [0, Number.NEGATIVE_INFINITY];
  for (const { startedAt, endedAt } of [...sent].sort((left, right) => left.endedAt - right.endedAt)) {
    if (startedAt < end) continue;
    count += 1;
    end = endedAt;
  }
  return count;
}

/** The statements of a request as lines: start and end in milliseconds, and the beginning of the text. */
export function describeStatements({ lastStatements }: RequestStatements, characters: number): string[] {
  const zero = lastStatements[0]?.startedAt ?? 0;
  const at = (time: number): string => (time - zero).toFixed(2).padStart(6);
  return lastStatements.map(
    ({ startedAt, endedAt, name, isParsed, text }) =>
      `${at(startedAt)}–${at(endedAt)} ms ${name === "" ? "unnamed" : "named  "}${isParsed ? " parsed" : "       "} ${text.replace(/\s+/g, " ").slice(0, characters)}`,
  );
}
