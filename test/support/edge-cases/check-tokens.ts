import { createBalanceChecker, type ServedChain } from "./compare-heights.ts";
import type { EdgeCaseChain } from "./deployment.ts";
import type { StoryToken } from "./story-coins.ts";

/** Creates a balance checker for the selected tokens, and returns it with the parts of their chain that tests use. */
export const createTokenChecker = (
  { chain, story, participants }: EdgeCaseChain,
  served: ServedChain,
  isSelected: (token: StoryToken) => boolean,
) => {
  const tokens = story.tokens.filter(isSelected);
  return { chain, story, participants, tokens, checker: createBalanceChecker(chain, served, tokens, story.ids, participants) };
};
