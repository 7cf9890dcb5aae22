import type { Database } from "../database/database.ts";
import type { AuditResult } from "../operator/last-audit.ts";
import { recordAudit } from "../operator/last-audit.ts";
import { isPaused } from "../operator/pause.ts";
import { removeChain } from "../operator/remove-chain.ts";
import { ConsoleError } from "./errors.ts";
import type { ChainTask } from "./responses.ts";
import type { StoredChain } from "./stored-chain.ts";

/** Compares samples of a chain's index with its node. */
export type RunAudit = (chain: string, sample: number) => Promise<AuditResult>;

/** Work on chains that takes longer than a request; this process runs one task per chain at a time. */
export interface ChainTasks {
  /** A chain's running or last task; null if there was none. */
  taskOf(chain: string): ChainTask | null;
  /** @throws {ConsoleError} 409 if another task of the chain is running. */
  startAudit(chain: StoredChain, sample: number, actor: string): void;
  /** @throws {ConsoleError} 409 if another task of the chain is running. */
  startRemoval(chain: StoredChain, actor: string): void;
}

/** How long a removal waits for the chain's lock: its indexer is about to release it if the chain is paused. */
const waitMilliseconds = { paused: 30_000, other: 2_000 } as const;

/** Creates the tasks; `describe` renders failures without secrets. */
export function createChainTasks(control: Database, runAudit: RunAudit, describe: (error: unknown) => string, now: () => Date): ChainTasks {
  const tasks = new Map<string, ChainTask>();
  const start = (kind: ChainTask["kind"], { name }: StoredChain, work: () => Promise<string>): void => {
    if (tasks.get(name)?.result === null) throw new ConsoleError(409, `Another task for ${name} is running: wait until it ends.`);
    const task = { kind, startedAt: now().toISOString() };
    tasks.set(name, { ...task, result: null, hasFailed: false });
    work().then(
      (result) => tasks.set(name, { ...task, result, hasFailed: false }),
      (error: unknown) => tasks.set(name, { ...task, result: describe(error), hasFailed: true }),
    );
  };
  return {
    taskOf: (chain) => tasks.get(chain) ?? null,
    startAudit: (chain, sample, actor) =>
      start("audit", chain, async () => {
        const result = await runAudit(chain.name, sample);
        await recordAudit(control, chain.name, result, actor);
        return `${result.compared} values compared at block ${result.block}: ${result.differences} differences.`;
      }),
    startRemoval: (chain, actor) =>
      start("remove", chain, async () => {
        const { indexing: database } = chain.store;
        const wait = (await isPaused(database, chain.id)) ? waitMilliseconds.paused : waitMilliseconds.other;
        const rows = await removeChain({ database, chain, actor, onProgress: () => undefined, waitMilliseconds: wait });
        if (rows === null)
          throw new ConsoleError(409, `Another process is indexing ${chain.name}: pause the chain first. Nothing was changed.`);
        return `Removed ${rows} rows.`;
      }),
  };
}
