import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { pageOfLogs } from "./pages-of-logs.ts";

/** Logs of all contracts with a given first topic, newest first. */
export const getLogEventsByTopicHash: Handlers["getLogEventsByTopicHash"] = async (request, context) => ({
  ...chainFields(request.chain, context.contentTime()),
  ...(await pageOfLogs(context, request, { topics: [request.topicHash], otherTopics: request.secondaryTopics ?? [] })),
});
