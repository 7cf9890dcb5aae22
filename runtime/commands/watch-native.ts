import type { Source } from "../chain/source.ts";
import type { Database } from "../database/database.ts";
import { findNativeDifferences, type NativeDifference, sampleNativeAccounts } from "../domains/tokens/jobs/verify-native-balances.ts";
import { nativeBalancesDiffer } from "../indexer/errors.ts";
import { features, readChain, recordMissing } from "../indexer/storage/chain-record.ts";
import type { IndexerStatus } from "../indexer/types.ts";
import { sleep } from "../lib/async.ts";
import type { Address } from "../lib/hex.ts";

export interface NativeWatchDeps {
  readonly chain: { readonly id: number; readonly name: string };
  readonly database: Database;
  readonly source: Pick<Source, "balances" | "hashesOf">;
  readonly status: () => Pick<IndexerStatus, "following" | "leading" | "catchingUp">;
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly everyMilliseconds?: number;
  /** Between two looks at what seems to differ. */
  readonly againMilliseconds?: number;
}

/** Looks now and then whether native balances are the node's. */
export interface NativeWatch {
  run(signal: AbortSignal): Promise<void>;
  /** Accounts that changed unseen, to be asked for with the next block; each is given once. */
  takeUnseen(): readonly Address[];
}

const tenMinutes = 600_000;
const waitForHead = 500;

/**
 * Compares a small sample of native balances with the node at the indexed head, when it is reached and then every ten minutes. Where they were followed by
 * traces, a confirmed difference means that traces do not tell all that moves value on this chain: the balances are served as unknown from then on. Where
 * they are the node's word, it means that an account changed unseen: its balance is asked for with the next block.
 */
export const createNativeWatch = (deps: NativeWatchDeps): NativeWatch => {
  const { chain, database, source, logger, everyMilliseconds = tenMinutes, againMilliseconds = 2_000 } = deps;
  const unseen = new Set<Address>();
  let last: Address | null = null;

  const confirmed = async (signal: AbortSignal): Promise<readonly NativeDifference[]> => {
    const sample = await sampleNativeAccounts(database, chain.id, last);
    last = sample.last;
    const first = await findNativeDifferences(database, source, chain.id, sample.owners);
    if (first === null || first.length === 0) return [];
    await sleep(againMilliseconds, signal);
    const owners = first.map(({ owner }) => owner);
    return signal.aborted ? [] : ((await findNativeDifferences(database, source, chain.id, owners)) ?? []);
  };

  /** False where there is nothing to look for any more. */
  const look = async (signal: AbortSignal): Promise<boolean> => {
    const record = await readChain(database, chain.id);
    if (record === null || record.nativeAccounting === "none" || record.missing.includes(features.nativeBalancesDiffer)) return false;
    const differences = await confirmed(signal);
    const [example] = differences;
    if (example === undefined) return true;
    if (record.nativeAccounting === "state") {
      for (const { owner } of differences) unseen.add(owner);
      logger.info(`${chain.name}: ${differences.length} native balances changed unseen; they are read with the next block.`);
      return true;
    }
    await recordMissing(database, chain.id, features.nativeBalancesDiffer);
    const { owner, height, indexed: held, reported } = example;
    logger.warn(
      `${nativeBalancesDiffer(chain.name)} Until then they are served as unknown. After block ${height}, ${owner} has ${held} in the index and ${reported} at the node.`,
    );
    return false;
  };

  const isReady = (): boolean => {
    const { following, leading, catchingUp } = deps.status();
    return following && leading && catchingUp.length === 0;
  };

  return {
    run: async (signal) => {
      while (!signal.aborted) {
        if (!isReady()) {
          await sleep(waitForHead, signal);
          continue;
        }
        const goesOn = await look(signal).catch((error: unknown) => {
          logger.warn(`${chain.name}: native balances could not be compared: ${error instanceof Error ? error.message : "unknown reason"}`);
          return true;
        });
        if (!goesOn) return;
        await sleep(everyMilliseconds, signal);
      }
    },
    takeUnseen: () => {
      const taken = [...unseen];
      unseen.clear();
      return taken;
    },
  };
};
