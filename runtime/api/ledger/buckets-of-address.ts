import type { Chain } from "../../../generated/requests.gen.ts";
import type { PaginationLinks, Transaction } from "../../../generated/responses.gen.ts";
import type { Address } from "../../lib/hex.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import type { ResolverContext } from "../context.ts";
import { type TransactionOptions, viewTransactions } from "./view-transaction.ts";

const secondsPerBucket = 900;

/** The bucket that contains a unix time in seconds. */
const bucketOf = (timestamp: number): number => Math.floor(timestamp / secondsPerBucket);

interface Bucket {
  readonly complete: boolean;
  readonly current_bucket: number;
  readonly links: PaginationLinks;
  readonly items: Transaction[];
}

/**
 * A wallet's transactions in one bucket, newest first, with links to the previous and the next bucket with transactions. A null `bucket` selects the
 * first bucket with transactions or, if there are none, that of the anchor. @throws {RequestError} 400 if the bucket has more transactions than a response
 * may list.
 */
export async function bucketOfAddress(
  context: ResolverContext,
  chain: Chain,
  address: Address,
  bucket: number | null,
  options: TransactionOptions,
): Promise<Bucket> {
  const { anchor, ledger, limits } = context;
  // Not the head, which may have advanced since the anchor was set.
  const last = anchor === null ? null : await ledger.blockByNumber(chain.id, anchor);
  const fallback = bucketOf(last?.timestamp ?? context.contentTime().getTime() / 1000);
  const span = { number: bucket, fallback, seconds: secondsPerBucket };
  const { noLogs } = options;
  const found = await ledger.transactionsWithLogsOfSpan(chain.id, address, span, anchor ?? -1, { maxItems: limits.responseRows, noLogs });
  const { number, count, previousTime, nextTime } = found.span;
  if (count > limits.responseRows)
    throw unsupportedValue(
      "timeBucket",
      String(number),
      `a bucket with at most ${limits.responseRows} transactions; ${address} has ${count} in it`,
    );
  const link = (time: number | null): string | null =>
    time === null ? null : context.absoluteUrl(`/v1/${chain.name}/bulk/transactions/${address}/${bucketOf(time)}/`);
  return {
    complete: last !== null && last.timestamp >= (number + 1) * secondsPerBucket && (await coversStart(context, chain, number)),
    current_bucket: number,
    links: { prev: link(previousTime), next: link(nextTime) },
    items: await viewTransactions(context, chain.id, found.items.toReversed(), options),
  };
}

/** Whether the index covers the start of a bucket. */
async function coversStart({ indexedFrom, ledger }: ResolverContext, chain: Chain, bucket: number): Promise<boolean> {
  if (indexedFrom === null) return true;
  const firstBlock = await ledger.firstBlock(chain.id);
  return firstBlock !== null && firstBlock.timestamp < bucket * secondsPerBucket;
}
