import { Agent } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { isResponse, request } from "../../e2e/serve/load.ts";

/** The block hashes in a response. */
export interface SeenBlocks {
  readonly path: string;
  /** The Unix time in milliseconds when the response was complete. */
  readonly at: number;
  readonly hashes: readonly string[];
}

const pauseMilliseconds = 10;

/** Clients that request paths and record the blocks in the responses. */
export interface HashLoad {
  readonly seen: readonly SeenBlocks[];
  /** Failed requests by status or error. */
  readonly failures: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** Starts clients that request each path in turn. */
export function startHashLoad(url: string, paths: readonly string[], key: string, clientCount: number): HashLoad {
  const seen: SeenBlocks[] = [];
  const failures = new Map<string, number>();
  // Hashes are interned to save memory.
  const internedHashes = new Map<string, string>();
  const intern = (hash: string): string => {
    const found = internedHashes.get(hash);
    if (found !== undefined) return found;
    internedHashes.set(hash, hash);
    return hash;
  };
  let isRunning = true;
  const running = Array.from({ length: clientCount }, async (_, client) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let number = client; isRunning; number += 1) {
      await wait(pauseMilliseconds);
      const path = paths[number % paths.length] ?? "";
      const outcome = await request(url + path, key, agent);
      if (!isResponse(outcome) || outcome.status !== 200) {
        const reason = isResponse(outcome) ? String(outcome.status) : outcome.error;
        failures.set(reason, (failures.get(reason) ?? 0) + 1);
        continue;
      }
      const hashes = [...outcome.body.matchAll(/"block_hash":"(0x[0-9a-f]{64})"/g)].map(([, hash = ""]) => intern(hash));
      seen.push({ path, at: performance.timeOrigin + outcome.endedAt, hashes: [...new Set(hashes)] });
    }
    agent.destroy();
  });
  return {
    seen,
    failures,
    async stop() {
      isRunning = false;
      await Promise.all(running);
    },
  };
}
