import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { pageOfLogs } from "./pages-of-logs.ts";

/** Logs that one contract emitted, newest first. */
export const getLogEventsByAddress: Handlers["getLogEventsByAddress"] = async (request, context) => ({
  ...chainFields(request.chain, context.contentTime()),
  ...(await pageOfLogs(context, request, { address: request.contractAddress })),
});
