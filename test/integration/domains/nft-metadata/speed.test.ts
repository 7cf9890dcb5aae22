import { expect, it } from "vitest";
import { deadline } from "../../../support/deadline.ts";
import { countsOf } from "./counting.ts";
import { createWorld } from "./documents.ts";
import { openHall, openStage } from "./support.ts";

it("10,000 documents that their contract holds are queued and read in well under a minute", async () => {
  const stage = await openStage();
  const hall = await openHall(stage);
  try {
    const head = await hall.index();
    await hall.mint(
      stage.gallery,
      Array.from({ length: 10_000 }, (_, id) => id),
      head,
    );
    const begun = Date.now();
    await hall.queue();
    await hall.worker(createWorld().read).drain();
    const seconds = (Date.now() - begun) / 1_000;
    const { standing, counted } = await countsOf(hall.test.database);
    expect(standing).toEqual(counted);
    expect(standing.documents).toEqual([{ token: stage.gallery, metadata_count: 10_000, asset_count: 0, refused_count: 0 }]);
    // Trait t has t + 2 values: 2 + 3 + … + 13 = 90.
    expect(standing.values).toHaveLength(90);
    expect(seconds).toBeLessThan(deadline(60));
  } finally {
    await hall.test.drop();
    await stage.stop();
  }
}, 180_000);
