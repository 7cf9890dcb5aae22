import { describe } from "vitest";
import { playCTokenStory } from "../integration/domains/community/ctokens/story.ts";
import { testCTokenOperations } from "../integration/domains/community/ctokens/test-operations.ts";
import { startRealCTokenMarkets } from "./ctoken-market.ts";
import { startProtocolChain } from "./support.ts";

describe.each([{ id: "protocol_04", release: "legacy" } as const, { id: "protocol_08", release: "newest" } as const])(
  "$id with markets of the $release release",
  ({ id, release }) => {
    testCTokenOperations(async () => {
      const world = await startProtocolChain();
      return playCTokenStory(id, world.chain, await startRealCTokenMarkets(world, release));
    });
  },
);
