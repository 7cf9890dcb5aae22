import { describe, expect, it } from "vitest";
import { scaleTimeLimit } from "../../../support/scale-time-limit.ts";
import { createFakeWeb } from "./fake-web.ts";
import { openMetadataIndex, startMetadataNode } from "./metadata-index.ts";
import { countsOf } from "./roll-up-counts.ts";

describe("the NFT metadata index", () => {
  it("queues and reads 10,000 inline documents within a minute", async () => {
    const node = await startMetadataNode();
    const index = await openMetadataIndex(node);
    try {
      const head = await index.indexBlocks();
      await index.mint(
        node.gallery,
        Array.from({ length: 10_000 }, (_, id) => id),
        head,
      );
      const start = Date.now();
      await index.queue();
      await index.worker(createFakeWeb().read).drain();
      const seconds = (Date.now() - start) / 1_000;
      const { stored, counted } = await countsOf(index.testDatabase.database);
      expect(stored).toEqual(counted);
      expect(stored.documents).toEqual([{ token: node.gallery, metadata_count: 10_000, asset_count: 0, refused_count: 0 }]);
      // Trait t has t + 2 values: 2 + 3 + … + 13 = 90.
      expect(stored.values).toHaveLength(90);
      expect(seconds).toBeLessThan(scaleTimeLimit(60));
    } finally {
      await index.testDatabase.drop();
      await node.stop();
    }
  }, 180_000);
});
