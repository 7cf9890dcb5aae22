import { describe, expect, it } from "vitest";
import { createStopFunctions } from "../../../runtime/commands/stop-functions.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";

/** A shutdown that records the parts that it waits for. */
function createRecordingShutdown() {
  const parts: string[] = [];
  const shutdown = {
    signal: new AbortController().signal,
    fail: () => undefined,
    async waitFor(part: string, work: Promise<unknown>) {
      parts.push(part);
      await work;
    },
  };
  return { parts, shutdown };
}
const serving = { url: "", isReady: async () => true, stop: async () => undefined };

describe("stopping a server", () => {
  it.each([
    [0, "the server, with 0 requests in flight"],
    [1, "the server, with 1 request in flight"],
  ])("reports %d requests in flight", async (count, part) => {
    const { parts, shutdown } = createRecordingShutdown();
    await createStopFunctions(shutdown).server({ ...serving, countRequestsInFlight: async () => count });
    expect(parts).toEqual([part]);
  });

  it("does not wait for a worker that does not report its request count", async () => {
    const { parts, shutdown } = createRecordingShutdown();
    const startedAt = performance.now();
    await createStopFunctions(shutdown).server({ ...serving, countRequestsInFlight: () => new Promise(() => undefined) });
    expect(parts).toEqual(["the server"]);
    // 1 s plus a margin.
    expect(performance.now() - startedAt).toBeLessThan(scaleTimeLimit(3_000));
  });
});
