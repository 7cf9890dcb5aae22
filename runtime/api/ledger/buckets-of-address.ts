import type { Chain } from "../../../generated/requests.gen.ts";
import type { PaginationLinks, Transaction } from "../../../generated/responses.gen.ts";
import type { Address } from "../../lib/hex.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import type { ResolverContext } from "../context.ts";
import { type TransactionOptions, viewTransactions, withLogs } from "./view-transaction.ts";

const secondsPerBucket = 900;

/** The bucket of a unix time in seconds. */
export const bucketOf = (timestamp: number): number => Math.floor(timestamp / secondsPerBucket);

interface Bucket {
  readonly complete: boolean;
  readonly current_bucket: number;
  readonly links: PaginationLinks;
  readonly items: Transaction[];
}

/**
 * A wallet's transactions of one bucket, newest first, with links to the previous and the next bucket with transactions.
 * @throws {RequestError} 400 if it has more transactions than a response may list.
 */
export async function bucketOfAddress(
  context: ResolverContext,
  chain: Chain,
  address: Address,
  bucket: number,
  options: TransactionOptions,
): Promise<Bucket> {
  const { anchor, ledger } = context;
  const start = bucket * secondsPerBucket;
  const { first, end, total } =
    anchor === null
      ? { first: 0, end: 0, total: 0 }
      : await ledger.ordinalsBetween(chain.id, address, start, start + secondsPerBucket, anchor);
  if (end - first > context.limits.answerRows) {
    throw unsupportedValue(
      "timeBucket",
      String(bucket),
      `a bucket with at most ${context.limits.answerRows} transactions; ${address} has ${end - first} in it`,
    );
  }
  const readItems = async (): Promise<Transaction[]> => {
    const rows = end > first ? await ledger.transactionsOfAddress(chain.id, address, first, end - 1) : [];
    return viewTransactions(context, chain.id, await withLogs(context, chain.id, rows.toReversed(), options.noLogs), options);
  };
  const [complete, links, items] = await Promise.all([
    isComplete(context, chain, bucket),
    linksOf(context, chain, address, { prev: first > 0 ? first - 1 : null, next: end < total ? end : null }),
    readItems(),
  ]);
  return { complete, current_bucket: bucket, links, items };
}

/** Whether no transaction can be added to a bucket: its end is past, and the index covers it. */
async function isComplete({ indexedFrom, ledger }: ResolverContext, chain: Chain, bucket: number): Promise<boolean> {
  const [head, tail] = await Promise.all([ledger.head(chain.id), ledger.tail(chain.id)]);
  if (head === null || tail === null) return false;
  const coversStart = indexedFrom === null || tail.timestamp < bucket * secondsPerBucket;
  return coversStart && head.timestamp >= (bucket + 1) * secondsPerBucket;
}

/** Links to the buckets of the previous and the next transaction, identified by their ordinals. */
async function linksOf(
  context: ResolverContext,
  chain: Chain,
  address: Address,
  { prev, next }: { readonly prev: number | null; readonly next: number | null },
): Promise<PaginationLinks> {
  const times = await context.ledger.timesOfOrdinals(
    chain.id,
    address,
    [prev, next].filter((ordinal) => ordinal !== null),
  );
  const link = (ordinal: number | null): string | null => {
    const time = ordinal === null ? undefined : times.get(ordinal);
    return time === undefined ? null : context.link(`/v1/${chain.name}/bulk/transactions/${address}/${bucketOf(time)}/`);
  };
  return { prev: link(prev), next: link(next) };
}
