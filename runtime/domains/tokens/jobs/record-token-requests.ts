import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import type { Address } from "../../../lib/hex.ts";

/** Between two writes, and the tokens that one writes at most; what is beyond waits for the next. */
const flushMilliseconds = 5_000;
const maxTokensPerFlush = 1_000;
/** Tokens that wait to be written at most; further ones are noted when they are asked for again. */
const maxTokens = 10_000;
/** A token that was asked for less long ago is not written again. */
const renewSeconds = 900;

export interface TokenRequests {
  /** Notes that a request asked for balances of tokens. Costs no query. */
  note(chainId: number, tokens: Iterable<Address>): void;
  /** Writes what was noted, one portion. */
  flush(): Promise<void>;
  /** Writes what is left and ends the timer. */
  close(): Promise<void>;
}

/**
 * Which tokens requests ask for: their balances are compared with the contracts' more often (settling/asked-tokens), by whichever process indexes the chain.
 * A portion that cannot be written waits for the next flush; the tokens that wait are bounded.
 */
export const createTokenRequests = (database: Pick<Database, "query">, now: () => Date): TokenRequests => {
  const waiting = new Map<string, { readonly chainId: number; readonly token: Address }>();
  /** What was written, in the order of time, by its time. */
  const written = new Map<string, number>();
  let running: Promise<void> = Promise.resolve();

  const write = async (): Promise<void> => {
    const at = now();
    for (const [key, time] of written) {
      if (time > at.getTime() - renewSeconds * 1000 && written.size <= maxTokens) break;
      written.delete(key);
    }
    const rows = [...waiting].slice(0, maxTokensPerFlush);
    if (rows.length === 0) return;
    // In the order of their keys, so that two processes never wait for each other.
    const sorted = rows.map(([, row]) => row).sort((left, right) => left.chainId - right.chainId || (left.token < right.token ? -1 : 1));
    await database.query(
      `INSERT INTO token_requests (chain_id, token, asked_at) SELECT k.chain_id, k.token, $3 FROM unnest($1::int8[], $2::bytea[]) AS k(chain_id, token)
       ON CONFLICT (chain_id, token) DO UPDATE SET asked_at = excluded.asked_at`,
      [sorted.map(({ chainId }) => chainId), sorted.map(({ token }) => bytes(token)), at],
    );
    for (const [key] of rows) {
      waiting.delete(key);
      written.set(key, at.getTime());
    }
  };
  const flush = (): Promise<void> => {
    running = running.then(write).catch(() => undefined);
    return running;
  };
  const timer = setInterval(flush, flushMilliseconds);
  timer.unref();

  return {
    note: (chainId, tokens) => {
      for (const token of tokens) {
        if (waiting.size >= maxTokens) return;
        const key = `${chainId}${token}`;
        if (!written.has(key)) waiting.set(key, { chainId, token });
      }
    },
    flush,
    close: async () => {
      clearInterval(timer);
      await flush();
    },
  };
};
