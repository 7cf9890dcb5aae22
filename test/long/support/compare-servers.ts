import { Agent } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "../../../runtime/database/database.ts";
import { isResponse, type Outcome, request } from "../../e2e/serve/load.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";

/** The maximum time that a cached response may be served after the index changes. */
const staleMilliseconds = 1_000;
const maxAttempts = 20;
/** The pause before a request is repeated, so that repetitions do not take the servers' time from other requests. */
const retryMilliseconds = 20;
const maxProblems = 20;

/** Counts of compared requests. */
export interface Comparisons {
  /** Requests with equal responses from both servers. */
  equal: number;
  /** Requests that were given up because the index changed too often during their comparisons. */
  superseded: number;
  /** Requests for which at least one server did not return 200, by status or error. */
  readonly others: Record<string, number>;
  /** The first requests with different responses although the index had not changed for longer than a response may be stale. */
  readonly wrong: string[];
}

type Verdict = "equal" | "different" | "superseded" | { readonly failure: string };

/** Compares normalised responses from two servers as of the same content version. The keys take turns. */
export function createComparison(
  database: Pick<Database, "query">,
  server: string,
  reference: string,
  keys: readonly string[],
  normalise: (body: string) => string = (body) => body,
) {
  const agents = [server, reference].map(() => new Agent({ keepAlive: true }));
  const counts: Comparisons = { equal: 0, superseded: 0, others: {}, wrong: [] };
  let next = 0;
  const readVersion = async (): Promise<string> => {
    const [row] = await database.query<{ version: string | null }>("SELECT sum(version)::text AS version FROM content_versions");
    return row?.version ?? "";
  };
  /** Requests a path from both servers, and checks whether the content version changed in the meantime. */
  const tryOnce = async (
    path: string,
    key: string,
  ): Promise<{ readonly version: string; readonly verdict: Verdict; readonly text: string }> => {
    const version = await readVersion();
    const outcomes = await Promise.all([server, reference].map((url, index) => request(url + path, key, agents[index] ?? false)));
    const [failure] = outcomes.flatMap((outcome) => failureOf(outcome) ?? []);
    const [body, expected] = outcomes.map((outcome) => (isResponse(outcome) ? normalise(outcome.body) : ""));
    const text = `${path}: ${body}, expected ${expected}`;
    if (failure !== undefined) return { version, verdict: { failure }, text };
    if (version !== (await readVersion())) return { version, verdict: "superseded", text };
    return { version, verdict: body === expected ? "equal" : "different", text };
  };
  const count = (verdict: Verdict, text: string): void => {
    if (verdict === "equal" || verdict === "superseded") counts[verdict] += 1;
    else if (verdict !== "different") counts.others[verdict.failure] = (counts.others[verdict.failure] ?? 0) + 1;
    else if (counts.wrong.length < maxProblems) counts.wrong.push(text);
  };
  return {
    counts,
    /** Whether jobs have finished their work for the last block: the content does not change for one second. */
    isSettled: async (): Promise<boolean> => {
      const version = await readVersion();
      await wait(1_000);
      return version === (await readVersion());
    },
    /** Requests a path from both servers until the responses are equal, or differ for too long at the same version. */
    async compare(path: string): Promise<void> {
      const key = keys[next % keys.length] ?? "";
      next += 1;
      let [differsAt, differsSince, superseded] = ["", 0, 0];
      for (;;) {
        const { version, verdict, text } = await tryOnce(path, key);
        if (verdict === "superseded") superseded += 1;
        if (verdict === "different" && differsAt !== version) [differsAt, differsSince] = [version, performance.now()];
        const isRepeated =
          (verdict === "superseded" && superseded < maxAttempts) ||
          (verdict === "different" && performance.now() - differsSince < scaleTimeLimit(staleMilliseconds));
        if (!isRepeated) return count(verdict, text);
        await wait(retryMilliseconds);
      }
    },
    close: () => {
      for (const agent of agents) agent.destroy();
    },
  };
}

/** The status or error of a request without a successful response. */
const failureOf = (outcome: Outcome): string | null => {
  if (!isResponse(outcome)) return outcome.error;
  return outcome.status === 200 ? null : String(outcome.status);
};
