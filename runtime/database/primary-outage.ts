import { runDetached } from "../lib/active-request.ts";
import { DatabaseUnavailable, isConnectionStale } from "./errors.ts";

/** Lets a server with replicas respond while the primary is lost. */
export interface PrimaryOutage {
  /**
   * Loads a value from the primary. While the primary is lost, resolves with the last value instead, for a limited time. @throws the load's error if
   * there is no last value or the time has passed.
   */
  load<T>(load: () => Promise<T>, last: () => T | undefined): Promise<T>;
  /** Whether the primary is lost: writes that no response needs are then omitted. */
  isLost(): boolean;
}

export interface PrimaryOutageOptions {
  /** How long last values are used. */
  readonly maxMilliseconds: number;
  /** Called when the primary is lost, and when it responds again. */
  readonly onChange: (isLost: boolean) => void;
  readonly clock?: { now(): number };
}

/** The primary counts as lost if a load takes longer. */
const loadMilliseconds = 2_000;
/** The interval between loads while it is lost. */
const retryMilliseconds = 250;

/** For servers without replicas, which cannot respond during an outage. */
export const noOutage: PrimaryOutage = { load: (load) => load(), isLost: () => false };

/** Tracks whether the primary is lost by the outcome of loads; the first one that succeeds ends an outage. */
export function createPrimaryOutage({ maxMilliseconds, onChange, clock = performance }: PrimaryOutageOptions): PrimaryOutage {
  let lostAt: number | null = null;
  let retryAt = 0;
  const attempt = async <T>(load: () => Promise<T>): Promise<T> => {
    const loaded = await inTime(load());
    if (lostAt !== null) {
      lostAt = null;
      onChange(false);
    }
    return loaded;
  };
  const retry = (load: () => Promise<unknown>): void => {
    if (clock.now() < retryAt) return;
    retryAt = Number.POSITIVE_INFINITY;
    const end = (): void => {
      retryAt = clock.now() + retryMilliseconds;
    };
    // Runs outside of the active request, because no request waits for the load.
    runDetached(() => attempt(load)).then(end, end);
  };
  const lastOf = <T>(last: () => T | undefined): T | undefined =>
    lostAt !== null && clock.now() - lostAt < maxMilliseconds ? last() : undefined;
  return {
    async load(load, last) {
      const lastValue = lastOf(last);
      if (lastValue !== undefined) {
        retry(load);
        return lastValue;
      }
      try {
        return await attempt(load);
      } catch (error) {
        if (!(error instanceof DatabaseUnavailable) && !isConnectionStale(error)) throw error;
        if (lostAt === null) {
          lostAt = clock.now();
          retryAt = lostAt + retryMilliseconds;
          onChange(true);
        }
        const value = lastOf(last);
        if (value === undefined) throw error;
        return value;
      }
    },
    isLost: () => lostAt !== null,
  };
}

const inTime = <T>(loading: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new DatabaseUnavailable("ETIMEDOUT", "it did not respond in time")), loadMilliseconds);
    timer.unref();
    loading.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
