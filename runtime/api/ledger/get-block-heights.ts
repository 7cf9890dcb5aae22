import { secondsPerDay, startOfDay } from "../../lib/time.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { viewBlock } from "./view-block.ts";

/** Blocks in an inclusive range of UTC days, ascending. Heights are contiguous, so a page is a height range and the total is a difference. */
export const getBlockHeights: Handlers["getBlockHeights"] = async ({ chain, startDate, endDate, page }, context) => {
  const { ledger, anchor } = context;
  const beforeEnd = endDate === "latest" ? Number.MAX_SAFE_INTEGER : startOfDay(endDate) + secondsPerDay;
  const times = { from: startOfDay(startDate), before: beforeEnd };
  const { total, blocks } = await ledger.blocksInTimeRange(chain.id, times, anchor ?? -1, page.number * page.size, page.size);
  return {
    ...chainFields(chain, context.contentTime()),
    items: blocks.map((row) => viewBlock(context, chain.name, row)),
    pagination: { has_more: (page.number + 1) * page.size < total, page_number: page.number, page_size: page.size, total_count: total },
    indexed_from: context.indexedFrom,
  };
};
