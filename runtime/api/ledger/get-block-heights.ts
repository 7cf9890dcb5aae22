import { secondsPerDay, startOfDay } from "../../lib/time.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { viewBlock } from "./view-block.ts";

/** Blocks of a range of UTC days, ascending, both days included. Heights are contiguous, so a page is a range of heights and the total is a difference. */
export const getBlockHeights: Handlers["getBlockHeights"] = async ({ chain, startDate, endDate, page }, context) => {
  const { ledger, anchor } = context;
  const beforeEnd = endDate === "latest" ? Number.MAX_SAFE_INTEGER : startOfDay(endDate) + secondsPerDay;
  const [first, last] = await Promise.all([
    ledger.firstBlockFrom(chain.id, startOfDay(startDate)),
    ledger.lastBlockBefore(chain.id, beforeEnd),
  ]);
  const highest = last === null || anchor === null ? -1 : Math.min(last.number, anchor);
  const total = first === null ? 0 : Math.max(0, highest - first.number + 1);
  const from = (first?.number ?? 0) + page.number * page.size;
  const rows = total === 0 || from > highest ? [] : await ledger.blocks(chain.id, from, Math.min(from + page.size - 1, highest));
  return {
    ...chainFields(chain, context.now()),
    items: rows.map((row) => viewBlock(context, chain.name, row)),
    pagination: { has_more: (page.number + 1) * page.size < total, page_number: page.number, page_size: page.size, total_count: total },
    indexed_from: context.indexedFrom,
  };
};
