import type { Chain } from "../../../generated/requests.gen.ts";
import type { LogEvent, Pagination } from "../../../generated/responses.gen.ts";
import type { LogFilter } from "../../domains/ledger/queries/log-filter.ts";
import { mapInTurns } from "../../lib/turns.ts";
import { type RangeReference, rangeOf } from "../block-references.ts";
import type { ResolverContext } from "../context.ts";
import { sendersOf, viewLog } from "./view-log.ts";

interface PageOfLogsRequest extends RangeReference {
  readonly chain: Chain;
  readonly page: { readonly number: number; readonly size: number };
}

/** One page of matching logs, newest first; one extra row determines `has_more`. */
export async function pageOfLogs(
  context: ResolverContext,
  request: PageOfLogsRequest,
  matching: Omit<LogFilter, "first" | "last">,
): Promise<{ items: LogEvent[]; pagination: Pagination; indexed_from: number | null }> {
  const { chain, page } = request;
  const { indexedFrom } = context;
  const range = rangeOf(context, request, indexedFrom);
  const [rows, total] =
    range === null
      ? [[], 0]
      : await Promise.all([
          context.ledger.logs(chain.id, { ...matching, ...range }, page.size + 1, page.number * page.size),
          context.ledger.logCount(chain.id, { ...matching, ...range }),
        ]);
  const shown = rows.slice(0, page.size);
  const senders = await sendersOf(context, chain.id, shown);
  return {
    items: await mapInTurns(shown, (row) => viewLog(row, senders(row.address), context.decoderOf(chain.id))),
    pagination: { has_more: rows.length > page.size, page_number: page.number, page_size: page.size, total_count: total },
    indexed_from: indexedFrom,
  };
}
