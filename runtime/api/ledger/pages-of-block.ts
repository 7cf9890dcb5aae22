import type { Chain } from "../../../generated/requests.gen.ts";
import type { PaginationLinks, Transaction } from "../../../generated/responses.gen.ts";
import type { BlockRow } from "../../domains/ledger/queries/block.ts";
import type { Hash } from "../../lib/hex.ts";
import { notFound, RequestError } from "../../lib/request-error.ts";
import type { ResolverContext } from "../context.ts";
import { transactionsPerPage } from "./pages-of-address.ts";
import { type TransactionOptions, viewTransactions } from "./view-transaction.ts";

/** The block at a height, or the head. @throws {RequestError} 404 if the height is not indexed. */
export async function blockAt(context: ResolverContext, chain: Chain, height: number | "latest"): Promise<BlockRow> {
  const block = height === "latest" ? await context.ledger.head(chain.id) : await context.ledger.blockByNumber(chain.id, height);
  if (block === null) throw await notIndexed(context, chain, height);
  return block;
}

/** The error for a height outside the index. */
async function notIndexed(context: ResolverContext, chain: Chain, height: number | "latest"): Promise<RequestError> {
  const [head, firstBlock] = await Promise.all([context.ledger.head(chain.id), context.ledger.firstBlock(chain.id)]);
  const indexed =
    head === null || firstBlock === null ? "no block is indexed yet" : `blocks ${firstBlock.number} to ${head.number} are indexed`;
  return new RequestError(404, `Block ${height} not found in the index of ${chain.name}: ${indexed}.`);
}

/** The block with the given hash. @throws {RequestError} 404 if the hash is not indexed. */
export async function blockWithHash(context: ResolverContext, chain: Chain, hash: Hash): Promise<BlockRow> {
  const block = await context.ledger.blockByHash(chain.id, hash);
  if (block === null) throw notFound("Block", hash, chain.name);
  return block;
}

/** The given height, or the height of the head for `latest`. @throws {RequestError} 404 if no block is indexed. */
export const heightOrHead = async (context: ResolverContext, chain: Chain, height: number | "latest"): Promise<number> =>
  height === "latest" ? (await blockAt(context, chain, height)).number : height;

const maxIndex = 2 ** 31 - 1;

/** All transactions in a block, by index. @throws {RequestError} 404 if the height is not indexed. */
export async function transactionsOf(
  context: ResolverContext,
  chain: Chain,
  height: number,
  options: TransactionOptions,
): Promise<Transaction[]> {
  const { total, items } = await context.ledger.transactionsWithLogsOfBlock(chain.id, height, 0, maxIndex, options.noLogs);
  if (total === null) throw await notIndexed(context, chain, height);
  return viewTransactions(context, chain.id, items, options);
}

/** One page of a block's transactions, by index; `path` is the list's path without the page. @throws {RequestError} 404 if the height is not indexed. */
export async function pageOfBlock(
  context: ResolverContext,
  chain: Chain,
  height: number,
  { page, path, ...options }: TransactionOptions & { readonly page: number; readonly path: string },
): Promise<{ links: PaginationLinks; items: Transaction[] }> {
  const first = page * transactionsPerPage;
  const last = first + transactionsPerPage - 1;
  const { total, items } = await context.ledger.transactionsWithLogsOfBlock(chain.id, height, first, last, options.noLogs);
  if (total === null) throw await notIndexed(context, chain, height);
  const newest = Math.max(0, Math.ceil(total / transactionsPerPage) - 1);
  const link = (number: number): string => context.absoluteUrl(`/v1/${chain.name}/${path}/transactions_v3/page/${number}/`);
  return {
    links: { prev: page > 0 ? link(Math.min(page - 1, newest)) : null, next: page < newest ? link(page + 1) : null },
    items: await viewTransactions(context, chain.id, items, options),
  };
}
