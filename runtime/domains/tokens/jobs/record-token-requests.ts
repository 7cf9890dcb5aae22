import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { createMutex } from "../../../lib/async.ts";
import type { Address } from "../../../lib/hex.ts";

/** The interval between two writes, and the max tokens per write. */
const flushMilliseconds = 5_000;
const maxTokensPerFlush = 1_000;
/** Max tokens waiting to be written; others are dropped until a later request records them. */
const maxTokens = 10_000;
/** The time after a write during which a token is not written again. */
const renewSeconds = 900;

export interface TokenRequests {
  /** Records that a request read balances of tokens. Runs no query. */
  record(chainId: number, tokens: Iterable<Address>): void;
  /** Writes up to `maxTokensPerFlush` recorded tokens. Never rejects: if the write fails, the tokens remain pending. */
  flush(): Promise<void>;
  /** Stops the timer and flushes once more. */
  close(): Promise<void>;
}

/**
 * Records the tokens whose balances requests read, so that the process that indexes the chain compares them more often (compare-requested-tokens). Tokens that
 * could not be written remain pending until the next flush; their number is bounded.
 */
export const createTokenRequests = (database: Pick<Database, "query">, now: () => Date): TokenRequests => {
  const pending = new Map<string, { readonly chainId: number; readonly token: Address }>();
  /** The time of each write, oldest first. */
  const written = new Map<string, number>();
  const exclusively = createMutex();

  const write = async (): Promise<void> => {
    const writtenAt = now();
    for (const [key, time] of written) {
      if (time > writtenAt.getTime() - renewSeconds * 1000 && written.size <= maxTokens) break;
      written.delete(key);
    }
    const rows = [...pending].slice(0, maxTokensPerFlush);
    if (rows.length === 0) return;
    // In key order, so that two processes cannot deadlock.
    const sorted = rows.map(([, row]) => row).sort((left, right) => left.chainId - right.chainId || (left.token < right.token ? -1 : 1));
    await database.query(
      `INSERT INTO token_requests (chain_id, token, asked_at) SELECT k.chain_id, k.token, $3 FROM unnest($1::int8[], $2::bytea[]) AS k(chain_id, token)
       ON CONFLICT (chain_id, token) DO UPDATE SET asked_at = excluded.asked_at`,
      [sorted.map(({ chainId }) => chainId), sorted.map(({ token }) => bytes(token)), writtenAt],
    );
    for (const [key] of rows) {
      pending.delete(key);
      written.set(key, writtenAt.getTime());
    }
  };
  const flush = (): Promise<void> => exclusively(write).catch(() => undefined);
  const timer = setInterval(flush, flushMilliseconds);
  timer.unref();

  return {
    record: (chainId, tokens) => {
      for (const token of tokens) {
        if (pending.size >= maxTokens) return;
        const key = `${chainId}${token}`;
        if (!written.has(key)) pending.set(key, { chainId, token });
      }
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
};
