import { expect } from "vitest";
import { chainConfigSchema } from "../../../../../runtime/config/config.ts";
import type { Database } from "../../../../../runtime/database/database.ts";
import { createAllowanceJobs } from "../../../../../runtime/domains/approvals/jobs/read-allowances/jobs.ts";
import { createDocumentReader } from "../../../../../runtime/domains/nft-metadata/jobs/fetch/documents/read-document.ts";
import { createMetadataWorker } from "../../../../../runtime/domains/nft-metadata/jobs/fetch/worker.ts";
import { createMetadataJobs } from "../../../../../runtime/domains/nft-metadata/jobs/jobs.ts";
import { tokenMetadataRead } from "../../../../../runtime/domains/tokens/projection/metadata-reads.ts";
import { createChainScheduler } from "../../../../../runtime/jobs/chain-scheduler.ts";
import { createNodeReadScheduler } from "../../../../../runtime/jobs/node-reads.ts";
import { projections } from "../../../../../runtime/projections.ts";
import { chainOf, createTestIndexer, isAtHead, runInBackground } from "../../../../support/indexer/support.ts";
import { multicallAddress } from "../../../../support/multicall.ts";
import { until } from "../../../../support/until.ts";
import type { NftMarket } from "../../nft-sales/nft-market.ts";

/** An index that follows the chain, and its background work, which runs on demand. */
export interface IndexWithJobs {
  reconcile(): Promise<void>;
  end(): Promise<void>;
}

/** Indexes a market's chain into a database, and starts the background work. */
export const startIndexWithJobs = async ({ chain, weth }: NftMarket, database: Database): Promise<IndexWithJobs> => {
  const settings = { ...chainConfigSchema.parse({ name: "market", id: 31337, rpc: chain.url }), id: 31337 };
  const running = await createTestIndexer(chain.url, database, { projections, chain: chainOf({ wrappedNative: [weth] }) });
  const end = runInBackground(running);
  const { indexer, source: node } = running;
  const warnings: string[] = [];
  const logger = { info: () => undefined, warn: (message: string) => void warnings.push(message) };
  const isReady = () => indexer.status().isLeading && indexer.status().isFollowing && indexer.status().catchingUp.length === 0;
  const read = createDocumentReader(settings.nfts);
  const shared = { chainId: 31337, database, source: node, multicallAddress, clock: () => new Date() };
  const scheduler = createChainScheduler({
    chainName: "test",
    ...shared,
    jobs: [...createAllowanceJobs(), ...createMetadataJobs(settings)].map((job) => ({ ...job, intervalMilliseconds: 0 })),
    runExclusive: indexer.runExclusive,
    runExclusiveKeepingCache: indexer.runExclusiveKeepingCache,
    isReady,
    logger,
  });
  const metadata = createMetadataWorker({
    ...shared,
    chainName: "market",
    nfts: settings.nfts,
    // Only inline documents can be read.
    readDocument: async (url, signal) =>
      url.startsWith("data:") ? read(url, signal) : { ok: false, refusal: "Not found.", isPermanent: true },
    logger,
    pauseMilliseconds: 5,
  });
  const stop = new AbortController();
  const nodeReadScheduler = createNodeReadScheduler({
    ...shared,
    chainName: "market",
    reads: [tokenMetadataRead],
    logger,
    isLeading: () => true,
  });
  const metadataReads = nodeReadScheduler.run(stop.signal);
  const isMetadataRead = async () => (await database.query("SELECT FROM node_reads LIMIT 1")).length === 0;
  return {
    reconcile: async () => {
      await until("the index to reach the head", async () => isReady() && (await isAtHead(database, chain)));
      await until("token metadata to be read", isMetadataRead);
      for (let rounds = 0; (await scheduler.runDue()) && rounds < 100; rounds += 1);
      await metadata.drain();
      expect(warnings).toEqual([]);
      expect(await database.query("SELECT token_id, problem FROM nft_reads")).toEqual([]);
      expect(await database.query("SELECT * FROM allowance_reads WHERE read_at_block IS NULL")).toEqual([]);
    },
    end: async () => {
      stop.abort();
      await Promise.all([end(), metadataReads]);
    },
  };
};
