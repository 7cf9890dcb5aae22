import type { Source } from "../chain/source.ts";
import type { Database } from "../database/database.ts";
import { findNativeDifferences, type NativeDifference, sampleNativeAccounts } from "../domains/tokens/jobs/verify-native-balances.ts";
import { nativeBalancesDifferWarning } from "../indexer/errors.ts";
import { features, readChain, recordMissing } from "../indexer/storage/chain-record.ts";
import type { IndexerStatus } from "../indexer/types.ts";
import { every, poll, sleep } from "../lib/async.ts";
import type { Address } from "../lib/hex.ts";

export interface NativeBalanceMonitorDeps {
  readonly chain: { readonly id: number; readonly name: string };
  readonly database: Database;
  readonly source: Pick<Source, "balances" | "hashesOf">;
  readonly status: () => Pick<IndexerStatus, "isFollowing" | "isLeading" | "catchingUp">;
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly intervalMilliseconds?: number;
  /** The wait before a balance is read again to confirm a difference. */
  readonly confirmMilliseconds?: number;
}

/** Compares native balances with the node at intervals. */
export interface NativeBalanceMonitor {
  run(signal: AbortSignal): Promise<void>;
  /** Removes and returns the accounts whose balance changed in a block that did not touch them, so that they are read with the next block. */
  takeChanged(): readonly Address[];
}

const tenMinutes = 600_000;
/** The interval between checks of whether the index has reached the head. */
const headMilliseconds = 500;

/**
 * Compares a small sample of native balances with the node once the index reaches the head, and then every ten minutes. If the balances are derived from
 * traces, a confirmed difference means that traces do not report all transfers of value: native balances are served as unknown from then on. If they are read
 * from the node, it means that an untouched account's balance changed: it is read with the next block.
 */
export const createNativeBalanceMonitor = (deps: NativeBalanceMonitorDeps): NativeBalanceMonitor => {
  const { chain, database, source, logger, intervalMilliseconds = tenMinutes, confirmMilliseconds = 2_000 } = deps;
  const changed = new Set<Address>();
  let last: Address | null = null;

  const confirmDifferences = async (signal: AbortSignal): Promise<readonly NativeDifference[]> => {
    const sample = await sampleNativeAccounts(database, chain.id, last);
    last = sample.last;
    const first = await findNativeDifferences(database, source, chain.id, sample.owners);
    if (first === null || first.length === 0) return [];
    await sleep(confirmMilliseconds, signal);
    const owners = first.map(({ owner }) => owner);
    return signal.aborted ? [] : ((await findNativeDifferences(database, source, chain.id, owners)) ?? []);
  };

  /** Compares one sample; false if no more comparisons are needed. */
  const compareSample = async (signal: AbortSignal): Promise<boolean> => {
    const record = await readChain(database, chain.id);
    if (record === null || record.nativeAccounting === "none" || record.missing.includes(features.nativeBalancesDiffer)) return false;
    const differences = await confirmDifferences(signal);
    const [example] = differences;
    if (example === undefined) return true;
    if (record.nativeAccounting === "state") {
      for (const { owner } of differences) changed.add(owner);
      logger.info(
        `${differences.length} native balances of ${chain.name} changed in blocks that did not touch them; rereading them with the next block`,
      );
      return true;
    }
    await recordMissing(database, chain.id, features.nativeBalancesDiffer);
    const { owner, height, indexed, reported } = example;
    logger.warn(
      `${nativeBalancesDifferWarning(chain.name)} Until then they are served as unknown. After block ${height}, ${owner} has ${indexed} in the index and ${reported} on the node.`,
    );
    return false;
  };

  const isReady = (): boolean => {
    const { isFollowing, isLeading, catchingUp } = deps.status();
    return isFollowing && isLeading && catchingUp.length === 0;
  };

  return {
    run: async (signal) => {
      while ((await poll(() => isReady() || null, { ...every(headMilliseconds), signal })) !== null) {
        const continues = await compareSample(signal).catch((error: unknown) => {
          logger.warn(`Comparing native balances of ${chain.name} failed: ${error instanceof Error ? error.message : "unknown reason"}`);
          return true;
        });
        if (!continues) return;
        await sleep(intervalMilliseconds, signal);
      }
    },
    takeChanged: () => {
      const taken = [...changed];
      changed.clear();
      return taken;
    },
  };
};
