import type { Chain } from "../../../generated/requests.gen.ts";
import type { PaginationLinks, Transaction } from "../../../generated/responses.gen.ts";
import type { Address } from "../../lib/hex.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import type { ResolverContext } from "../context.ts";
import { type TransactionOptions, viewTransactions } from "./view-transaction.ts";

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
  const { ledger } = context;
  const { first, end, total } = await ordinalsOf(context, chain, address, bucket);
  if (end - first > context.limits.answerRows) {
    throw unsupportedValue(
      "timeBucket",
      String(bucket),
      `a bucket with at most ${context.limits.answerRows} transactions; ${address} has ${end - first} in it`,
    );
  }
  const rows = end > first ? await ledger.transactionsOfAddress(chain.id, address, first, end - 1) : [];
  return {
    complete: await isComplete(context, chain, bucket),
    current_bucket: bucket,
    links: await linksOf(context, chain, address, { prev: first > 0 ? first - 1 : null, next: end < total ? end : null }),
    items: await viewTransactions(context, chain.id, rows.toReversed(), options),
  };
}

/** The ordinals of a bucket's transactions, from `first` up to but not including `end`; `total` is the number of the address's transactions. */
async function ordinalsOf({ ledger, anchor }: ResolverContext, chain: Chain, address: Address, bucket: number) {
  if (anchor === null) return { first: 0, end: 0, total: 0 };
  const countBefore = async (time: number): Promise<number> => {
    const block = await ledger.lastBlockBefore(chain.id, time);
    return block === null ? 0 : ledger.transactionCountOfAddress(chain.id, address, Math.min(block.number, anchor));
  };
  const [first, end, total] = await Promise.all([
    countBefore(bucket * secondsPerBucket),
    countBefore((bucket + 1) * secondsPerBucket),
    ledger.transactionCountOfAddress(chain.id, address, anchor),
  ]);
  return { first, end, total };
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
