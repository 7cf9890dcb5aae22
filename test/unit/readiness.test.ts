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

describe("indexerProblem", () => {
  it.each<[string, HeartbeatRow | undefined, number, string | null]>([
    ["without a heartbeat", undefined, 300, null],
    [
      "with progress a second ago, while another process failed to become the leader",
      heartbeat({ failure: "boom", is_stopped: true }),
      300,
      null,
    ],
    [
      "with progress 20 s ago, stopped",
      heartbeat({ silent_seconds: 20, failure: "boom", is_stopped: true }),
      300,
      "Indexer of eth stopped: boom",
    ],
    [
      "without progress, stopped",
      heartbeat({ silent_seconds: null, failure: "boom", is_stopped: true }),
      300,
      "Indexer of eth stopped: boom",
    ],
    ["with progress 20 s ago, retrying", heartbeat({ silent_seconds: 20, failure: "boom" }), 300, null],
    ["with progress 300 s ago", heartbeat({ silent_seconds: 300 }), 300, null],
    [
      "with progress 301 s ago",
      heartbeat({ silent_seconds: 301 }),
      300,
      "Indexer of eth stopped: it does not report (no progress for 301 s)",
    ],
    [
      "with progress 302 s ago, retrying",
      heartbeat({ silent_seconds: 302.9, failure: "x" }),
      300,
      "Indexer of eth stopped: x (no progress for 302 s)",
    ],
    ["with progress a day ago, without a limit", heartbeat({ silent_seconds: 86_400 }), 0, null],
    [
      "with progress 20 s ago, stopped for a reason with a password",
      heartbeat({ silent_seconds: 20, failure: "no host http://me:secret@node:1", is_stopped: true }),
      300,
      "Indexer of eth stopped: no host http://node:1",
    ],
  ])("returns null or the problem of an indexer %s", (_, row, limit, expected) => {
    expect(indexerProblem("eth", row, limit)).toBe(expected);
  });
});
