import { type BitcoinCapabilities, describeBitcoinNode, probeBitcoinNode } from "../chain/bitcoin/capabilities.ts";
import { createBitcoinRpc, createBitcoinSource } from "../chain/bitcoin/source.ts";
import type { Rpc } from "../chain/rpc.ts";
import type { TransportOptions } from "../chain/transport.ts";
import type { BitcoinChainConfig } from "../config/bitcoin.ts";
import type { Database } from "../database/database.ts";
import { createBitcoinIndexer } from "../domains/bitcoin/indexer/indexer.ts";
import type { Heartbeat } from "../indexer/heartbeat.ts";
import type { Progress } from "../indexer/session/progress.ts";
import { every, nullOnAbort, poll } from "../lib/async.ts";
import { bitcoinNetworks } from "../lib/bitcoin/networks.ts";
import type { Logger } from "../logger.ts";
import { CommandError } from "./command-error.ts";

export interface BitcoinIndexingOptions {
  readonly chain: BitcoinChainConfig;
  readonly database: Database;
  readonly logger: Logger;
  readonly onProgress?: (progress: Progress) => void;
  /** See `TransportOptions`. */
  readonly onRequest?: TransportOptions["onRequest"];
  readonly heartbeat?: Pick<Heartbeat, "beat" | "fail"> | undefined;
}

const retrySeconds = 5;

/** Indexes a Bitcoin chain until the signal aborts. @throws {IndexMismatchError} if the index is incompatible with the configuration or the node. */
export async function indexBitcoinChain(
  { chain, database, logger, onProgress, onRequest, heartbeat }: BitcoinIndexingOptions,
  signal: AbortSignal,
): Promise<void> {
  if (chain.rpc === undefined)
    throw new CommandError(`No node configured for chain ${chain.name}; set its rpc in ashlar.yaml or pass --rpc URL.`);
  const rpc = createBitcoinRpc({
    url: chain.rpc,
    onRetry: (reason, attempt) => logger.debug({ chain: chain.name, attempt, reason }, "Retrying a request to the node"),
    onRequest,
  });
  const stop = (): void => void rpc.close();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const capabilities = await probeWithRetries(rpc, chain.name, logger, signal, heartbeat);
    if (capabilities === null) return;
    for (const { offered, feature, consequence } of describeBitcoinNode(capabilities))
      if (!offered) logger.info(`The node of ${chain.name} does not offer ${feature}: ${consequence}.`);
    const onInvalidResponse = (reason: string): void => logger.warn({ chain: chain.name, reason }, "The node returned inconsistent data");
    const indexer = createBitcoinIndexer({
      chain: { ...chain, network: bitcoinNetworks[chain.network] },
      source: createBitcoinSource(rpc, { onInvalidResponse }),
      capabilities,
      database,
      blockBoundTables: [{ name: "page_anchors", blockColumn: "block_number" }],
      logger,
      clock: () => new Date(),
      onProgress,
      nodeSilentMilliseconds: rpc.silentMilliseconds,
      ...(heartbeat === undefined ? {} : { heartbeat }),
    });
    await indexer.run(signal);
  } finally {
    signal.removeEventListener("abort", stop);
    await rpc.close();
  }
}

/** Probes the node, with retries while it cannot be reached; null if the signal aborts. */
const probeWithRetries = (
  rpc: Rpc,
  name: string,
  logger: Logger,
  signal: AbortSignal,
  heartbeat: BitcoinIndexingOptions["heartbeat"],
): Promise<BitcoinCapabilities | null> =>
  poll(
    async () => {
      try {
        return await nullOnAbort(probeBitcoinNode(rpc), signal);
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        heartbeat?.fail(reason);
        logger.warn(`The node of ${name} cannot be used (${reason}); retrying in ${retrySeconds} s`);
        return null;
      }
    },
    { ...every(retrySeconds * 1_000), signal },
  );
