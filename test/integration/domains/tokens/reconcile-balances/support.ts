import type { Database } from "../../../../../runtime/database/database.ts";
import { createReconciliationJobs } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/jobs.ts";
import type { ReconciliationSettings } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/settings.ts";
import { createChainScheduler } from "../../../../../runtime/jobs/chain-scheduler.ts";
import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../../support/chain.ts";
import { createTestIndexer, runInBackground } from "../../../../support/indexer/support.ts";
import { until } from "../../../../support/until.ts";

export interface Reconciliation {
  /** Messages that the jobs logged at level info. */
  readonly notes: string[];
  readonly warnings: string[];
  /** Waits until the index is at the node's head, then advances the clock minute by minute and runs all due jobs. */
  runFor(minutes?: number): Promise<void>;
  end(): Promise<void>;
}

/** Starts an index that follows a chain, with reconciliation jobs that run on demand, on a clock that the test advances. */
export const startReconciliation = async (
  chain: TestChain,
  url: string,
  database: Database,
  options: Parameters<typeof createTestIndexer>[2] = {},
  settings: Partial<ReconciliationSettings> = {},
): Promise<Reconciliation> => {
  const running = await createTestIndexer(url, database, options);
  const end = runInBackground(running);
  const [notes, warnings]: [string[], string[]] = [[], []];
  let now = Date.UTC(2026, 0, 1);
  const isReady = () => {
    const { isLeading, isFollowing, catchingUp } = running.indexer.status();
    return isLeading && isFollowing && catchingUp.length === 0;
  };
  const scheduler = createChainScheduler({
    chainName: "test",
    chainId: 31337,
    database,
    source: running.source,
    jobs: createReconciliationJobs(settings),
    multicallAddress: "0xca11bde05977b3631167028862be2a173976ca11",
    runExclusive: running.indexer.runExclusive,
    runExclusiveKeepingCache: running.indexer.runExclusiveKeepingCache,
    isReady,
    clock: () => new Date(now),
    logger: { info: (message) => notes.push(message), warn: (message) => warnings.push(message) },
  });
  return {
    notes,
    warnings,
    runFor: async (minutes = 4) => {
      const head = await chain.head();
      await until("the index to reach the head", () => isReady() && running.indexer.status().block === head);
      for (let minute = 0; minute < minutes; minute += 1) {
        for (let rounds = 0; (await scheduler.runDue()) && rounds < 50; rounds += 1);
        now += 60_000;
      }
    },
    end,
  };
};

const quantity = (value: number): Hex => `0x${value.toString(16)}`;

/** Returns balanceOf() at heights; null if it reverts. */
export const balancesOf = async (
  chain: TestChain,
  reads: readonly { readonly token: Address; readonly owner: Address; readonly height: number }[],
): Promise<(string | null)[]> =>
  Promise.all(
    reads.map(({ token, owner, height }) =>
      chain
        .rpc<Hex>("eth_call", [{ to: token, data: `0x70a08231${owner.slice(2).padStart(64, "0")}` }, quantity(height)])
        .then((result) => BigInt(result === "0x" ? 0 : result).toString())
        .catch(() => null),
    ),
  );
