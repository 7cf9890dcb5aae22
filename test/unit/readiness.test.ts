import { describe, expect, it } from "vitest";
import type { HeartbeatRow } from "../../runtime/domains/chains/queries/status.ts";
import { indexerProblem } from "../../runtime/readiness.ts";

const heartbeat = (row: Partial<HeartbeatRow>): HeartbeatRow => ({
  chain_id: 1,
  silent_seconds: 1,
  failure: null,
  is_stopped: false,
  ...row,
});

describe("the problem of an indexer that made its last progress", () => {
  it.each<[string, HeartbeatRow | undefined, number, string | null]>([
    ["never, and is not known", undefined, 300, null],
    ["a second ago, while another process failed to become the leader", heartbeat({ failure: "boom", is_stopped: true }), 300, null],
    ["20 s ago and has stopped", heartbeat({ silent_seconds: 20, failure: "boom", is_stopped: true }), 300, "Indexer of eth stopped: boom"],
    ["never and has stopped", heartbeat({ silent_seconds: null, failure: "boom", is_stopped: true }), 300, "Indexer of eth stopped: boom"],
    ["20 s ago and retries", heartbeat({ silent_seconds: 20, failure: "boom" }), 300, null],
    ["300 s ago", heartbeat({ silent_seconds: 300 }), 300, null],
    ["301 s ago", heartbeat({ silent_seconds: 301 }), 300, "Indexer of eth stopped: it does not report (no progress for 301 s)"],
    ["302 s ago and retries", heartbeat({ silent_seconds: 302.9, failure: "x" }), 300, "Indexer of eth stopped: x (no progress for 302 s)"],
    ["a day ago, without a limit", heartbeat({ silent_seconds: 86_400 }), 0, null],
    [
      "20 s ago, and stopped for a reason with a password",
      heartbeat({ silent_seconds: 20, failure: "no host http://me:secret@node:1", is_stopped: true }),
      300,
      "Indexer of eth stopped: no host http://node:1",
    ],
  ])("%s", (_, row, limit, expected) => {
    expect(indexerProblem("eth", row, limit)).toBe(expected);
  });
});
