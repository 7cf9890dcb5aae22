import { describe } from "vitest";
import { family, startCTokenStory } from "./story.ts";
import { testCTokenOperations } from "./test-operations.ts";

describe.each(family)("markets of $id", (protocol) => {
  testCTokenOperations(() => startCTokenStory(protocol));
});
