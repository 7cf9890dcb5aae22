import { createBalanceChecker, type ServedChain } from "./compare-heights.ts";
import type { EdgeCaseChain } from "./deployment.ts";
import type { StoryToken } from "./story-coins.ts";

/** Returns a balance checker for the selected tokens, with the parts of their chain that tests use. */
export const checkTokens = (
  { chain, story, participants }: EdgeCaseChain,
  served: ServedChain,
  isSelected: (token: StoryToken) => boolean,
) => {
  const tokens = story.tokens.filter(isSelected);
  return { chain, story, participants, tokens, checker: createBalanceChecker(chain, served, tokens, story.ids, participants) };
};
