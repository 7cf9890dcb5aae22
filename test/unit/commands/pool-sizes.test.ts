import { describe, expect, it } from "vitest";
import { servingConnections } from "../../../runtime/commands/pool-sizes.ts";
import { machineSettings } from "../../../runtime/database/embedded/settings.ts";

describe("the pool for answers", () => {
  it("has four connections per CPU core if the database has enough", () => {
    expect(servingConnections({ maxConnections: 97, cpus: 2, chains: 1 })).toBe(8);
    expect(servingConnections({ maxConnections: 1_000, cpus: 16, chains: 1 })).toBe(64);
  });

  it("is limited by what other pools and the reserve leave", () => {
    // 97 less 9.7 in reserve, 8 for indexing (5 × 1.5) and 12 + 3 + 2 for the reader role, keys and single connections: 62.3, of which each takes 1.5.
    expect(servingConnections({ maxConnections: 97, cpus: 16, chains: 1 })).toBe(41);
    expect(servingConnections({ maxConnections: 20, cpus: 2, chains: 1 })).toBe(4);
  });
});

describe("the embedded PostgreSQL", () => {
  const gigabyte = 1024 ** 3;

  it.each([
    [gigabyte, 2, "128MB", "512MB", "100"],
    [4 * gigabyte, 2, "256MB", "1024MB", "100"],
    [32 * gigabyte, 16, "2048MB", "8192MB", "156"],
    [256 * gigabyte, 64, "4096MB", "16384MB", "444"],
  ])("on a machine with %d bytes and %d cores has shared buffers of %s", (memory, cpus, buffers, cache, connections) => {
    expect(machineSettings({ memory, cpus })).toEqual({
      shared_buffers: buffers,
      effective_cache_size: cache,
      max_connections: connections,
    });
  });

  it("accepts the connections of the pools", () => {
    // 3 are reserved for superusers by default.
    const maxConnections = Number(machineSettings({ memory: gigabyte, cpus: 64 }).max_connections) - 3;
    expect(servingConnections({ maxConnections, cpus: 64, chains: 1 })).toBeGreaterThan(200);
  });
});
