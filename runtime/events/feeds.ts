import type { EventDefinition } from "./decoded-block.ts";
import { wordCount } from "./words.ts";

/** AnswerUpdated(int256,uint256,uint256) of price feed aggregators (Chainlink's AggregatorInterface): the first two parameters are indexed. */
export const feedAnswer: EventDefinition = {
  id: "feedAnswer",
  topic0: "0x0559884fd3a460db3073b7fc896cc77986f16e378210ded43186175bf646fc5f",
  decode: ({ address, topics, data, index }, transactionIndex) => {
    const [, answer] = topics;
    if (answer === undefined || topics.length !== 3 || wordCount(data) !== 1) return null;
    return { kind: "feedAnswer", address, transactionIndex, logIndex: index, answer: BigInt.asIntN(256, BigInt(answer)) };
  },
};
