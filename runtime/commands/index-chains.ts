import { stdout } from "node:process";
import { type AnyChainConfig, type Config, isBitcoinChain } from "../config/config.ts";
import type { Protocol } from "../declarations/protocol.ts";
import { redactMessage } from "../http/redact.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { createLogger, type Logger } from "../logger.ts";
import { loadProtocols } from "../protocols.ts";
import { requireChains, resolveChains } from "./chains.ts";
import { CommandError } from "./command-error.ts";
import { indexBitcoinChain } from "./index-bitcoin.ts";
import { indexChain } from "./indexing.ts";
import type { ServiceDatabase } from "./open-database.ts";
import { openService } from "./open-service.ts";
import { createProgress, type Progress } from "./progress.ts";
import { runUntilStopped, stopped } from "./shutdown.ts";
import { stopService } from "./stop-service.ts";

/** `ashlar index`: runs the indexer without a server until the process is stopped. */
export async function indexChains(config: Config): Promise<void> {
  requireChains(config);
  const { protocols, added } = loadProtocols(config);
  const progress = createProgress();
  const logger = createLogger({ ...config, destination: progress.logs });
  await runUntilStopped(progress.print, async (shutdown) => {
    const { signal } = shutdown;
    const stop = stopService(shutdown);
    const database = await openService(config, added, { shutdown, logger });
    try {
      const chains = await resolveChains(config, database.indexing, signal);
      stdout.write(`Indexing ${chains.map((chain) => chain.name).join(", ")}.\n`);
      const indexing = runIndexers({ chains, protocols, database, logger, progress }, signal);
      await Promise.race([indexing, stopped(signal)]);
      progress.end();
      await stop.indexer(indexing);
    } finally {
      progress.end();
      await stop.database(database);
    }
  });
}

export interface RunIndexers {
  readonly chains: readonly AnyChainConfig[];
  readonly protocols: readonly Protocol[];
  readonly database: Pick<ServiceDatabase, "indexing" | "readerRole">;
  readonly logger: Logger;
  readonly progress: Progress;
}

/** Indexes several chains concurrently; the failure of one is logged and does not stop the others. @throws {CommandError} if all have failed. */
export async function runIndexers(
  { chains, protocols, database: { indexing: database, readerRole }, logger, progress }: RunIndexers,
  signal: AbortSignal,
): Promise<void> {
  const failed: string[] = [];
  await Promise.all(
    chains.map(async (chain) => {
      try {
        const common = { database, logger, onProgress: createReport(progress, chain) };
        if (isBitcoinChain(chain)) await indexBitcoinChain({ chain, ...common }, signal);
        else await indexChain({ chain, protocols, readerRole, ...common }, signal);
      } catch (error) {
        // The shutdown interrupted the work.
        if (signal.aborted) return;
        const reason = error instanceof Error ? error.message : String(error);
        failed.push(reason);
        // A database error also contains rows, statements and file names of the server: only its message is logged.
        logger.error({ chain: chain.name, reason: redactMessage(reason) }, "Indexing stopped");
        progress.print(`Indexing ${chain.name} stopped: ${escapeTerminal(redactMessage(reason))}`);
      }
    }),
  );
  if (failed.length === chains.length) throw new CommandError(failed.join("\n"));
}

/** Reports the backfill and each catch-up as a task; batches at the head are not reported. */
const createReport =
  (progress: Progress, chain: AnyChainConfig): NonNullable<Parameters<typeof indexChain>[0]["onProgress"]> =>
  ({ phase, projection, from, block, target, rows }) => {
    const pace = { unit: "blocks", rows };
    const name = phase === "backfill" ? `index ${chain.name}` : `catch up ${projection} of ${chain.name}`;
    if (phase === "backfill" || phase === "catch-up") progress.report(name, block - from + 1, target - from + 1, pace);
    if (phase === "reorganisation") progress.print(`Reorganisation on ${chain.name} above block ${block}`);
  };
