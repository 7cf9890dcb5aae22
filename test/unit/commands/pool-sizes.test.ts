import { describe, expect, it } from "vitest";
import { type Capacity, type PoolSizes, planConnections } from "../../../runtime/commands/pool-sizes.ts";
import { machineSettings } from "../../../runtime/database/embedded/settings.ts";

const alone = { workerCount: 0, indexerCount: 0 };
/** The connections that a process's pools open: each opens half its size in addition, for statements that are planned once. */
const openedBy = (pools: PoolSizes): number => Object.values(pools).reduce((sum, size) => sum + size + Math.ceil(size / 2), 0);

describe("the pools of all processes", () => {
  it("have four connections for responses per core if the database accepts enough", () => {
    expect(planConnections({ ...alone, maxConnections: 97, cores: 2, chainCount: 1 }).owner.serving).toBe(8);
    expect(planConnections({ ...alone, maxConnections: 1_000, cores: 16, chainCount: 1 }).owner.serving).toBe(64);
    expect(planConnections({ workerCount: 8, indexerCount: 1, maxConnections: 1_000, cores: 16, chainCount: 1 }).worker.serving).toBe(
      64 / 8,
    );
  });

  it("have two connections for responses per worker if there are more workers than cores need", () => {
    // Four per core are at most one per worker.
    expect(planConnections({ workerCount: 4, indexerCount: 0, maxConnections: 97, cores: 1, chainCount: 1 }).worker.serving).toBe(2);
    expect(planConnections({ workerCount: 16, indexerCount: 1, maxConnections: 997, cores: 2, chainCount: 1 }).worker.serving).toBe(2);
  });

  it("of one process leave a tenth of the database's connections", () => {
    // 97 minus 9.7 in reserve, 8 for indexing (5 × 1.5), and 12 + 3 + 2 for the reader role, keys, notifications and migrations leaves 62;
    // each connection for responses takes 1.5.
    expect(planConnections({ ...alone, maxConnections: 97, cores: 16, chainCount: 1 }).owner.serving).toBe(41);
    expect(planConnections({ ...alone, maxConnections: 20, cores: 2, chainCount: 1 }).owner.serving).toBe(4);
  });

  it("of eight workers on 16 cores fit into the 100 connections that PostgreSQL accepts by default", () => {
    const { owner, worker, indexer, total } = planConnections({
      workerCount: 8,
      indexerCount: 1,
      maxConnections: 97,
      cores: 16,
      chainCount: 1,
    });
    expect(worker.serving).toBeGreaterThanOrEqual(2);
    // With one connection for notifications per worker, and one for migrations.
    expect(openedBy(owner) + 8 * (openedBy(worker) + 1) + openedBy(indexer) + 1).toBe(total);
    expect(total).toBeLessThanOrEqual(97);
  });

  it("never open more connections than the database accepts", () => {
    const plans = capacities().flatMap((capacity) => planOrNull(capacity) ?? []);
    expect(plans.length).toBeGreaterThan(500);
    for (const { capacity, plan } of plans) {
      const { workerCount, indexerCount, chainCount, maxConnections } = capacity;
      const server = workerCount === 0 ? plan.owner : plan.worker;
      // Each server has one connection for notifications, and migrations have one.
      const singles = Math.max(1, workerCount) + 1;
      expect(
        openedBy(plan.owner) + workerCount * openedBy(plan.worker) + indexerCount * openedBy(plan.indexer) + singles,
      ).toBeLessThanOrEqual(maxConnections);
      expect(Math.min(server.serving, server.control, server.reader)).toBeGreaterThan(0);
      expect(plan.indexer.indexing).toBeGreaterThanOrEqual(indexerCount * (chainCount + 1));
    }
  });

  it("are described in an error if the database accepts too few connections", () => {
    // Each worker opens 3 for responses, 2 for keys, 2 for the reader role and 1 for notifications; the indexer 5 (3 × 1.5);
    // this process 3 + 2 + 2 + 3 and 1.
    expect(() => planConnections({ workerCount: 8, indexerCount: 1, maxConnections: 50, cores: 16, chainCount: 1 })).toThrow(
      "The database accepts 50 connections, but this process, 8 workers and the indexer need at least 80: raise max_connections, or the connection limit of the role or the database, or configure fewer workers.",
    );
    // 3 + 2 + 2 + 5 for its pools, and 2.
    expect(() => planConnections({ ...alone, maxConnections: 10, cores: 1, chainCount: 1 })).toThrow(
      "The database accepts 10 connections, but this process needs at least 14: raise max_connections, or the connection limit of the role or the database.",
    );
  });
});

/** All combinations of some values. */
const capacities = (): Capacity[] =>
  [0, 1, 2, 4, 8, 16, 64].flatMap((workerCount) =>
    [0, 1].flatMap((indexerCount) =>
      [5, 10, 17, 20, 37, 50, 97, 197, 497, 997].flatMap((maxConnections) =>
        [1, 2, 16, 64].flatMap((cores) =>
          [0, 1, 5, 40].map((chainCount) => ({ workerCount, indexerCount, maxConnections, cores, chainCount })),
        ),
      ),
    ),
  );

function planOrNull(capacity: Capacity) {
  try {
    return { capacity, plan: planConnections(capacity) };
  } catch {
    return null;
  }
}

describe("the embedded PostgreSQL", () => {
  const gigabyte = 1024 ** 3;

  it.each([
    [gigabyte, 2, "128MB", "512MB", "100"],
    [4 * gigabyte, 2, "256MB", "1024MB", "100"],
    [32 * gigabyte, 16, "2048MB", "8192MB", "284"],
    [256 * gigabyte, 64, "4096MB", "16384MB", "956"],
  ])("on a machine with %d bytes and %d cores has shared buffers of %s", (memory, cores, buffers, cache, connections) => {
    expect(machineSettings({ memory, cores })).toEqual({
      shared_buffers: buffers,
      effective_cache_size: cache,
      max_connections: connections,
    });
  });

  it.each([1, 4, 16, 64])("accepts four connections for responses per core with a worker on each of %d cores", (cores) => {
    // 3 are reserved for superusers by default.
    const maxConnections = Number(machineSettings({ memory: gigabyte, cores }).max_connections) - 3;
    const { worker } = planConnections({ workerCount: cores, indexerCount: 1, maxConnections, cores, chainCount: 1 });
    expect(worker).toMatchObject({ serving: 4, control: 2 });
  });
});
