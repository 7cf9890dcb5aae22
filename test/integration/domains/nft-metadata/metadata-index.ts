import { probeCapabilities } from "../../../../runtime/chain/capabilities.ts";
import { createRpc } from "../../../../runtime/chain/rpc.ts";
import { createSource, type Source } from "../../../../runtime/chain/source.ts";
import type { ReadDocument } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { createMetadataWorker, type MetadataWorkerDeps } from "../../../../runtime/domains/nft-metadata/jobs/fetch/worker.ts";
import { createQueueNewTokensJob } from "../../../../runtime/domains/nft-metadata/jobs/queue-new-tokens.ts";
import { createQueueRefreshesJob } from "../../../../runtime/domains/nft-metadata/jobs/queue-refreshes.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import { rollBack } from "../../../../runtime/indexer/reorg/roll-back.ts";
import type { JobContext } from "../../../../runtime/jobs/job.ts";
import type { Address, Hash } from "../../../../runtime/lib/hex.ts";
import { blockBoundTables } from "../../../../runtime/projections.ts";
import { type Artifact, encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { multicallAddress, multicallCode } from "../../../support/multicall.ts";
import { compileCollections } from "./contracts.ts";

export const chainId = 31337;

/** A node with contracts whose metadata URLs a test sets. */
export interface MetadataNode {
  readonly chain: TestChain;
  readonly source: Source;
  readonly gallery: Address;
  deployCollection(): Promise<Address>;
  /** Sets the metadata URL for a range of ids, in a separate block. */
  setUri(collection: Address, first: number, last: number, text: string): Promise<void>;
  stop(): Promise<void>;
}

export const startMetadataNode = async (): Promise<MetadataNode> => {
  const chain = await startTestChain({ args: ["--gas-limit", "200000000"] });
  const contract = compileCollections();
  const collection: Artifact = contract("Collection");
  const gallery = await chain.deploy(contract("Gallery"));
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
  const rpc = createRpc({ url: chain.url, retries: 0 });
  return {
    chain,
    source: createSource(rpc, await probeCapabilities(rpc), { readsTraces: false }),
    gallery,
    deployCollection: () => chain.deploy(collection),
    setUri: async (to, first, last, text) => {
      const [hash] = await chain.send({ ...encodeCall(collection, to, "setUri", [first, last, text]), gas: 190_000_000n });
      await chain.mine();
      const { status } = await chain.rpc<{ status: string }>("eth_getTransactionReceipt", [hash]);
      if (status !== "0x1") throw new Error("setUri() ran out of gas");
    },
    stop: async () => {
      await rpc.close();
      await chain.stop();
    },
  };
};

/** An index of the node whose tokens a test inserts, as the projection would. */
export interface MetadataIndex {
  readonly testDatabase: TestDatabase;
  now: Date;
  readonly warnings: string[];
  /** Inserts the node's blocks and returns the head. */
  indexBlocks(): Promise<number>;
  mint(token: Address, ids: readonly (number | bigint)[], block: number, standard?: number): Promise<void>;
  announce(token: Address, from: number | bigint, to: number | bigint, block: number): Promise<void>;
  /** Runs the queueing jobs until nothing remains to queue; returns the number of rounds. */
  queue(): Promise<number>;
  worker(readDocument: ReadDocument, overrides?: Partial<MetadataWorkerDeps>): ReturnType<typeof createMetadataWorker>;
  jobContext(): JobContext;
  rollBackTo(ancestor: number): Promise<void>;
  queued(): Promise<{ token: Address; token_id: string; wanted_block: number; attempts: number; url: string | null }[]>;
  metadata(): Promise<{ token: Address; token_id: string; name: string | null; refusal: string | null; read_at_block: number }[]>;
}

export const openMetadataIndex = async ({ source, chain }: MetadataNode, context: Partial<JobContext> = {}): Promise<MetadataIndex> => {
  const testDatabase = await createTestDatabase({ poolSize: 8 });
  const { database } = testDatabase;
  const unexpected = () => Promise.reject(new Error("Unexpected request to the node"));
  const runExclusiveKeepingCache: JobContext["runExclusiveKeepingCache"] = (work) =>
    database.transaction(async (client) => {
      const [head] = await client.query<{ number: number; hash: Hash }>("SELECT number, hash FROM blocks ORDER BY number DESC LIMIT 1");
      return work(client, { number: head?.number ?? -1, hash: head?.hash ?? "0x" });
    });
  const jobContext = (): JobContext => ({
    chainId,
    database,
    runExclusiveKeepingCache,
    runExclusive: runExclusiveKeepingCache,
    clock: () => index.now,
    logger: { info: () => undefined },
    multicall: unexpected,
    source: { balances: unexpected, runCalls: unexpected, hashesOf: unexpected, capabilities: source.capabilities },
    ...context,
  });
  const index: MetadataIndex = {
    testDatabase,
    jobContext,
    now: new Date("2026-01-01T00:00:00Z"),
    warnings: [],
    indexBlocks: async () => {
      const head = await chain.head();
      const blocks = await chain.batch<{ number: string; hash: Hash; parentHash: Hash }>(
        Array.from({ length: head + 1 }, (_, number) => ({ method: "eth_getBlockByNumber", params: [`0x${number.toString(16)}`, false] })),
      );
      await database.query("DELETE FROM blocks");
      await database.transaction((client) =>
        client.copy(
          "blocks",
          [
            "chain_id",
            "number",
            "hash",
            "parent_hash",
            "timestamp",
            "miner",
            "extra_data",
            "gas_used",
            "gas_limit",
            "size",
            "transaction_count",
          ],
          blocks.map(({ hash, parentHash }, number) => [chainId, number, hash, parentHash, number, "0x00", "0x", 0, 0, 0, 0]),
          ["int8", "int8", "bytea", "bytea", "int8", "bytea", "bytea", "int8", "numeric", "int4", "int4"],
        ),
      );
      return head;
    },
    mint: async (token, ids, block, standard = standards.erc721) => {
      await database.transaction((client) =>
        client.copy(
          "nft_tokens",
          ["chain_id", "token", "token_id", "standard", "block_number"],
          ids.map((id) => [chainId, token, BigInt(id), standard, block]),
          ["int8", "bytea", "numeric", "int2", "int8"],
        ),
      );
    },
    announce: async (token, from, to, block) => {
      await database.query(
        `INSERT INTO nft_metadata_updates SELECT $1, $2::int8, (SELECT count(*) FROM nft_metadata_updates WHERE block_number = $2::int8), decode($3, 'hex'), $4, $5`,
        [chainId, block, token.slice(2), String(from), String(to)],
      );
    },
    queue: async () => {
      const jobs = [createQueueNewTokensJob(), createQueueRefreshesJob()];
      for (let rounds = 1; ; rounds += 1) {
        let hasMore = false;
        for (const job of jobs) {
          hasMore = (await job.run(jobContext())) || hasMore;
        }
        if (!hasMore) return rounds;
      }
    },
    worker: (readDocument, overrides = {}) =>
      createMetadataWorker({
        chainId,
        chainName: "test",
        database,
        source,
        multicallAddress,
        readDocument,
        clock: () => index.now,
        nfts: { metadata: "cached", fetchesAtOnce: 16, fetchMilliseconds: 15_000, documentBytes: 1_048_576 },
        logger: { info: () => undefined, warn: (message) => index.warnings.push(message) },
        pauseMilliseconds: 5,
        ...overrides,
      }),
    rollBackTo: (ancestor) =>
      database.transaction(async (client) => {
        // In production, the ledger and collection projections delete these rows.
        for (const table of ["nft_tokens", "nft_metadata_updates"]) {
          await client.query(`DELETE FROM ${table} WHERE block_number > $1`, [ancestor]);
        }
        await client.query("DELETE FROM blocks WHERE number > $1", [ancestor]);
        await rollBack(client, chainId, ancestor, 0, [], blockBoundTables);
      }),
    queued: () => database.query("SELECT token, token_id, wanted_block, attempts, url FROM nft_reads ORDER BY token, token_id"),
    metadata: () => database.query("SELECT token, token_id, name, refusal, read_at_block FROM nft_metadata ORDER BY token, token_id"),
  };
  return index;
};
