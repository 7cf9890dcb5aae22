import type { Chain } from "../../../../generated/requests.gen.ts";
import type { LogEvent, Pagination } from "../../../../generated/responses.gen.ts";
import { type BlockReference, firstBlockOf, lastBlockOf } from "../../at.ts";
import type { ResolverContext } from "../../context.ts";
import { sendersOf, viewLog } from "../../views/log.ts";
import type { LogFilter } from "../log-queries.ts";

interface PageOfLogsRequest {
  readonly chain: Chain;
  readonly startingBlock: BlockReference | null;
  readonly endingBlock: BlockReference | null;
  readonly page: { readonly number: number; readonly size: number };
}

/** One page of matching logs, newest first; `has_more` comes from one row more than the page. */
export async function pageOfLogs(
  context: ResolverContext,
  { chain, startingBlock, endingBlock, page }: PageOfLogsRequest,
  matching: Omit<LogFilter, "first" | "last">,
): Promise<{ items: LogEvent[]; pagination: Pagination }> {
  const last = lastBlockOf(context, endingBlock);
  const filter = { ...matching, first: firstBlockOf(context, startingBlock), last: last ?? -1 };
  const [rows, total] = await Promise.all([
    context.ledger.logs(chain.id, filter, page.size + 1, page.number * page.size),
    context.ledger.logCount(chain.id, filter),
  ]);
  const shown = rows.slice(0, page.size);
  const senders = await sendersOf(context, chain.id, shown);
  return {
    items: shown.map((row) => viewLog(row, senders.get(row.address), context.decoderOf(chain.id))),
    pagination: { has_more: rows.length > page.size, page_number: page.number, page_size: page.size, total_count: total },
  };
}
