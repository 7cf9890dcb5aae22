import { describe, expect, it } from "vitest";
import { createDiskSpace } from "../../../runtime/commands/disk-space.ts";

const embedded = { databaseUrl: undefined, dataDirectory: ".", minFreeDiskMegabytes: 1000 };

describe("createDiskSpace", () => {
  it("reports low space below the limit, until twice as much is free", async () => {
    let free = 1_000_000_000;
    const space = createDiskSpace(embedded, async () => free);
    const readings = [];
    for (free of [1_000_000_000, 999_999_999, 1_999_999_999, 2_000_000_000, 1_000_000_000]) readings.push(await space?.isLow());
    expect(readings).toEqual([false, true, true, false, false]);
  });

  it("reads the free space of the file system", async () => {
    expect(await createDiskSpace({ ...embedded, minFreeDiskMegabytes: 1e9 })?.isLow()).toBe(true);
    expect(await createDiskSpace({ ...embedded, minFreeDiskMegabytes: 1e-6 })?.isLow()).toBe(false);
  });

  it("returns null without a limit, or with an external database", () => {
    expect(createDiskSpace({ ...embedded, minFreeDiskMegabytes: 0 })).toBeNull();
    expect(createDiskSpace({ ...embedded, databaseUrl: "postgresql://db.example/ashlar" })).toBeNull();
  });
});
