import { availableParallelism } from "node:os";
import { describe, expect, it } from "vitest";
import { inheritedSocket } from "../../../runtime/cluster/inherited-socket.ts";
import { serveWorkerCount, startWorkerCount } from "../../../runtime/commands/service/worker-count.ts";
import { availableCores, parseQuota } from "../../../runtime/lib/available-cores.ts";

describe("the available cores", () => {
  it("are at least one, and at most the cores of the machine", () => {
    expect(availableCores()).toBeGreaterThanOrEqual(1);
    expect(availableCores()).toBeLessThanOrEqual(availableParallelism());
  });

  it("are limited by the control group's quota", () => {
    expect(parseQuota("150000 100000\n")).toBe(1.5);
    expect(parseQuota("max 100000\n")).toBeNull();
    expect(parseQuota("")).toBeNull();
  });
});

describe("the number of workers", () => {
  it("of serve is one by default, and one for each core if it is auto", () => {
    expect(serveWorkerCount({ workers: undefined }, 16)).toBe(1);
    expect(serveWorkerCount({ workers: "auto" }, 16)).toBe(16);
    expect(serveWorkerCount({ workers: 3 }, 16)).toBe(3);
  });

  it("of start leaves cores to the indexer and the database by default", () => {
    expect([1, 2, 3, 4, 6, 16, 64].map((cores) => startWorkerCount({ workers: undefined }, cores))).toEqual([1, 1, 1, 2, 3, 8, 8]);
    expect(startWorkerCount({ workers: "auto" }, 2)).toBe(2);
    expect(startWorkerCount({ workers: 5 }, 2)).toBe(5);
  });
});

describe("a service manager's socket", () => {
  it("is inherited only if it was opened for this process", () => {
    expect(inheritedSocket({ LISTEN_PID: "7", LISTEN_FDS: "1" }, 7)).toEqual({ fd: 3 });
    expect(inheritedSocket({ LISTEN_PID: "6", LISTEN_FDS: "1" }, 7)).toBeNull();
    expect(inheritedSocket({ LISTEN_PID: "7", LISTEN_FDS: "0" }, 7)).toBeNull();
    expect(inheritedSocket({}, 7)).toBeNull();
  });
});
