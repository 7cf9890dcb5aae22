import type { ChainBlock } from "../chain/types.ts";
import type { DecodedBlock, DecodedEvent, EventDefinition } from "./decoded-block.ts";
import { createTopicReader } from "./words.ts";

/** Creates a decoder that decodes a block's events in one pass over its logs. A log is decoded by the first definition that matches. */
export const createEventDecoder = (definitions: Iterable<EventDefinition>): ((block: ChainBlock) => DecodedBlock) => {
  const byTopic = new Map<string, EventDefinition[]>();
  for (const definition of new Set(definitions)) {
    const group = byTopic.get(definition.topic0);
    if (group === undefined) byTopic.set(definition.topic0, [definition]);
    else group.push(definition);
  }
  const addressOf = createTopicReader();
  return (block) => {
    const events: DecodedEvent[] = [];
    for (const transaction of block.transactions) {
      for (const log of transaction.logs) {
        for (const definition of byTopic.get(log.topics[0] ?? "") ?? []) {
          const event = definition.decode(log, transaction.index, addressOf);
          if (event === null) continue;
          events.push(event);
          break;
        }
      }
    }
    return { block, events };
  };
};
