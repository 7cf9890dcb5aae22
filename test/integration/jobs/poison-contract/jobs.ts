import { describe, expect, it } from "vitest";
import { createAllowanceJobs } from "../../../../runtime/domains/approvals/jobs/read-allowances/jobs.ts";
import { approvalsProjection } from "../../../../runtime/domains/approvals/projection/index.ts";
import { createMetadataWorker } from "../../../../runtime/domains/nft-metadata/jobs/fetch/worker.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { tokenMetadataRead } from "../../../../runtime/domains/tokens/projection/metadata-reads.ts";
import { createNodeReadScheduler } from "../../../../runtime/jobs/node-reads.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { multicallAddress } from "../../../support/multicall.ts";
import { refuseAllCalls, refuseContract } from "../../../support/poison-proxy.ts";
import {
  alice,
  chainId,
  clock,
  coin,
  collection,
  createScheduler,
  logger,
  poisonCoin,
  poisonCollection,
  proxy,
  rowsOf,
  source,
  startBlock,
  startIndexer,
  testDatabase,
  waitForHead,
} from "./setup.ts";

/** Tests jobs and workers that call contracts. */
export const describeJobs = (): void => {
  describe("the node read job", () => {
    const startReads = async () => {
      await testDatabase.database.query(
        "INSERT INTO node_reads (chain_id, kind, key, block_number) SELECT $1, 'token-metadata', decode(a, 'hex'), 1 FROM unnest($2::text[]) a",
        [chainId, [coin, poisonCoin, collection].map((address) => address.slice(2))],
      );
      clock.now = new Date(Date.now() + 60_000);
      return createNodeReadScheduler({
        chainId,
        chainName: "test",
        database: testDatabase.database,
        source,
        reads: [tokenMetadataRead],
        multicallAddress,
        clock: () => clock.now,
        logger,
      });
    };
    const queued = () => rowsOf<{ key: Address; attempts: number; run_after: Date }>("SELECT key, attempts, run_after FROM node_reads");
    const names = async () =>
      (await rowsOf<{ name: string | null }>("SELECT name FROM token_metadata ORDER BY name")).map(({ name }) => name);

    it("reads other tokens if the node fails the calls to one, and stores its metadata as unknown after the last attempt", async () => {
      const reads = await startReads();
      refuseContract(proxy, poisonCoin);
      await reads.runDue();
      expect(await names()).toEqual(["Cards", "Gold"]);
      for (let attempts = 1; attempts < 8; attempts += 1) {
        const [entry] = await queued();
        expect(entry).toMatchObject({ key: poisonCoin, attempts });
        clock.now = entry?.run_after ?? clock.now;
        await reads.runDue();
      }
      expect(await queued()).toEqual([]);
      expect(await names()).toEqual(["Cards", "Gold", null]);
    });

    it("counts no attempt and stores nothing while the node refuses all calls", async () => {
      const reads = await startReads();
      refuseAllCalls(proxy);
      await reads.runDue();
      expect((await queued()).map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
      expect(await names()).toEqual([]);
      proxy.intercept = null;
      clock.now = new Date(clock.now.getTime() + 60_000);
      await reads.runDue();
      expect(await names()).toEqual(["Arsenic", "Cards", "Gold"]);
    });
  });

  describe("the NFT metadata worker", () => {
    const startWorker = async () => {
      const testIndexer = await startIndexer();
      await waitForHead(testIndexer);
      await testDatabase.database.query(
        `INSERT INTO nft_reads (chain_id, token, token_id, standard, block_number, run_after)
       SELECT $1, decode(a, 'hex'), 0, 2, $3, '2020-01-01' FROM unnest($2::text[]) a`,
        [chainId, [collection, poisonCollection].map((address) => address.slice(2)), startBlock - 1],
      );
      return createMetadataWorker({
        chainId,
        chainName: "test",
        database: testDatabase.database,
        source,
        multicallAddress,
        readDocument: async (url) => ({ ok: false, refusal: `Not found: ${url}`, isPermanent: true }),
        clock: () => clock.now,
        nfts: { metadata: "cached", fetchesAtOnce: 4, fetchMilliseconds: 1_000, documentBytes: 1_000 },
        logger,
        pauseMilliseconds: 5,
      });
    };
    const queued = () => rowsOf("SELECT token, attempts, problem FROM nft_reads");

    it("reads other tokens if the node fails the calls to one, and counts an attempt for it", async () => {
      const worker = await startWorker();
      refuseContract(proxy, poisonCollection);
      await worker.drain();
      expect(await queued()).toEqual([
        { token: poisonCollection, attempts: 1, problem: "The node returned no result for the contract call." },
      ]);
      expect(await rowsOf("SELECT token, token_url FROM nft_metadata")).toEqual([
        { token: collection, token_url: "https://cards.example/0" },
      ]);
      proxy.intercept = null;
      clock.now = new Date(clock.now.getTime() + 60_000);
      await worker.drain();
      expect(await queued()).toEqual([]);
    });

    it("counts no attempt and stores nothing while the node refuses all calls", async () => {
      const worker = await startWorker();
      refuseAllCalls(proxy);
      await expect(worker.drain()).rejects.toThrow("HTTP status 504");
      expect(await rowsOf("SELECT attempts FROM nft_reads")).toEqual([{ attempts: 0 }, { attempts: 0 }]);
      expect(await rowsOf("SELECT FROM nft_metadata")).toEqual([]);
    });
  });

  describe("the allowance read job", () => {
    const startReads = async () => {
      const testIndexer = await startIndexer({ projections: [tokensProjection, approvalsProjection] });
      await waitForHead(testIndexer);
      // Both contracts return an allowance of 0.
      await testDatabase.database.query(
        "INSERT INTO allowances SELECT $1, decode(o, 'hex'), decode(t, 'hex'), decode(o, 'hex'), $4, $4, 0, 0, 9 FROM unnest($2::text[], $3::text[]) AS k(o, t)",
        [chainId, [alice, alice].map((address) => address.slice(2)), [coin, poisonCoin].map((address) => address.slice(2)), startBlock],
      );
      await testDatabase.database.query(
        "INSERT INTO allowance_reads SELECT chain_id, owner, token, since_block, NULL::int8, NULL::bytea, 0 FROM allowances",
      );
      return createScheduler(testIndexer, createAllowanceJobs());
    };
    const attempts = () =>
      rowsOf<{ token: Address; attempts: number }>("SELECT token, attempts FROM allowance_reads WHERE read_at_block IS NULL");
    const amounts = async () =>
      Object.fromEntries(
        (await rowsOf<{ token: Address; amount: string }>("SELECT token, amount FROM allowances")).map(({ token, amount }) => [
          token,
          amount,
        ]),
      );

    it("reads other tokens if the node fails the calls to one, and counts attempts for it, even if only that one remains", async () => {
      const scheduler = await startReads();
      refuseContract(proxy, poisonCoin);
      await scheduler.runDue();
      expect(await amounts()).toEqual({ [coin]: "0", [poisonCoin]: "9" });
      expect(await attempts()).toEqual([{ token: poisonCoin, attempts: 1 }]);
      clock.now = new Date(clock.now.getTime() + 3_600_000);
      await scheduler.runDue();
      expect(await attempts()).toEqual([{ token: poisonCoin, attempts: 2 }]);
      proxy.intercept = null;
      clock.now = new Date(clock.now.getTime() + 2 * 3_600_000);
      await scheduler.runDue();
      expect(await amounts()).toEqual({ [coin]: "0", [poisonCoin]: "0" });
    });

    it("counts no attempt and stores nothing while the node refuses all calls", async () => {
      const scheduler = await startReads();
      refuseAllCalls(proxy);
      await scheduler.runDue();
      expect(await amounts()).toEqual({ [coin]: "9", [poisonCoin]: "9" });
      expect((await attempts()).map((row) => row.attempts)).toEqual([0, 0]);
    });
  });
};
