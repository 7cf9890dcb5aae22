import type { DecodedBlock, FeedAnswer } from "../../events/decoded-block.ts";
import { feedAnswer } from "../../events/feeds.ts";
import { defineProjection, type Row } from "../../indexer/projection.ts";
import type { Address } from "../../lib/hex.ts";

/** Price feed answers, from any contract that emits their event. Only the last answer in each block is stored. */
export const feedsProjection = defineProjection({
  id: "feeds",
  version: 1,
  events: [feedAnswer],
  tables: [{ kind: "append", name: "feed_answers", columns: { feed: "bytea", block_number: "int8", answer: "numeric" } }],
  loads: {},
  keysToLoad: () => ({}),
  fold: (blocks) => ({ feed_answers: blocks.flatMap(lastAnswers) }),
});

const lastAnswers = ({ block, events }: DecodedBlock): Row[] => {
  const answers = new Map<Address, bigint>();
  for (const event of events) if (event.kind === "feedAnswer") answers.set((event satisfies FeedAnswer).address, event.answer);
  return Array.from(answers, ([feed, answer]) => ({ feed, block_number: block.number, answer }));
};
