import type { Chain } from "../../../generated/requests.gen.ts";
import type { PaginationLinks, Transaction } from "../../../generated/responses.gen.ts";
import type { Address } from "../../lib/hex.ts";
import type { ResolverContext } from "../context.ts";
import { type TransactionOptions, viewTransactions } from "./view-transaction.ts";

/** Transactions per page, in every list with page links. */
export const transactionsPerPage = 100;

interface PageOfAddress {
  readonly current_page: number;
  readonly links: PaginationLinks;
  readonly items: Transaction[];
}

/** One page of a wallet's transactions; the newest page if `page` is null. Pages are numbered from the oldest, so that a full page never changes. */
export async function pageOfAddress(
  context: ResolverContext,
  chain: Chain,
  address: Address,
  page: number | null,
  { ascending, ...options }: TransactionOptions & { readonly ascending: boolean },
): Promise<PageOfAddress> {
  const { ledger, anchor } = context;
  const size = transactionsPerPage;
  const { total, items } =
    anchor === null
      ? { total: 0, items: [] }
      : await ledger.transactionsWithLogsOfAddress(chain.id, address, anchor, { number: page, size }, options.noLogs);
  const newest = Math.max(0, Math.ceil((total ?? 0) / size) - 1);
  const current = page ?? newest;
  const link = (number: number): string => context.absoluteUrl(`/v1/${chain.name}/address/${address}/transactions_v3/page/${number}/`);
  return {
    current_page: current,
    links: { prev: current > 0 ? link(Math.min(current - 1, newest)) : null, next: current < newest ? link(current + 1) : null },
    items: await viewTransactions(context, chain.id, ascending ? items : items.toReversed(), options),
  };
}
