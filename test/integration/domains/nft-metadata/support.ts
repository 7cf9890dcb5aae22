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
import { followingTables } from "../../../../runtime/projections.ts";
import { type Artifact, call, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { multicall, multicallCode } from "../../../support/multicall.ts";
import { compileSpeakers } from "./contracts.ts";

export const chainId = 31337;

/** A chain on which contracts speak of their tokens. */
export interface Stage {
  readonly chain: TestChain;
  readonly source: Source;
  readonly gallery: Address;
  deploySpeaker(): Promise<Address>;
  /** Has a speaker say something of ids, in a block of its own. */
  say(speaker: Address, first: number, last: number, text: string): Promise<void>;
  stop(): Promise<void>;
}

export const openStage = async (): Promise<Stage> => {
  const chain = await startTestChain({ args: ["--gas-limit", "200000000"] });
  const contract = compileSpeakers();
  const speaker: Artifact = contract("Speaker");
  const gallery = await chain.deploy(contract("Gallery"));
  await chain.rpc("anvil_setCode", [multicall, await multicallCode(chain)]);
  const rpc = createRpc({ url: chain.url, retries: 0 });
  return {
    chain,
    source: createSource(rpc, await probeCapabilities(rpc), { tracing: false }),
    gallery,
    deploySpeaker: () => chain.deploy(speaker),
    say: async (to, first, last, text) => {
      const [hash] = await chain.send({ ...call(speaker, to, "say", [first, last, text]), gas: 190_000_000n });
      await chain.mine();
      const { status } = await chain.rpc<{ status: string }>("eth_getTransactionReceipt", [hash]);
      if (status !== "0x1") throw new Error("The speaker had no room for what it was to say.");
    },
    stop: async () => {
      await rpc.close();
      await chain.stop();
    },
  };
};

/** An index of a stage whose tokens a test enters by hand, as the projection would. */
export interface Hall {
  readonly test: TestDatabase;
  now: Date;
  readonly warnings: string[];
  /** Enters the node's blocks. */
  index(): Promise<number>;
  mint(token: Address, ids: readonly (number | bigint)[], block: number, standard?: number): Promise<void>;
  announce(token: Address, from: number | bigint, to: number | bigint, block: number): Promise<void>;
  /** Has all queued that is to be queued; gives how many looks that took. */
  queue(): Promise<number>;
  worker(readDocument: ReadDocument, overrides?: Partial<MetadataWorkerDeps>): ReturnType<typeof createMetadataWorker>;
  jobContext(): JobContext;
  takeBackTo(ancestor: number): Promise<void>;
  waiting(): Promise<{ token: Address; token_id: string; wanted_block: number; attempts: number; url: string | null }[]>;
  kept(): Promise<{ token: Address; token_id: string; name: string | null; refusal: string | null; read_at_block: number }[]>;
}

export const openHall = async ({ source, chain }: Stage, context: Partial<JobContext> = {}): Promise<Hall> => {
  const test = await createTestDatabase({ poolSize: 8 });
  const { database } = test;
  const unasked = () => Promise.reject(new Error("Nothing is asked of the node."));
  const beside: JobContext["beside"] = (work) =>
    database.transaction(async (client) => {
      const [head] = await client.query<{ number: number; hash: Hash }>("SELECT number, hash FROM blocks ORDER BY number DESC LIMIT 1");
      return work(client, { number: head?.number ?? -1, hash: head?.hash ?? "0x" });
    });
  const jobContext = (): JobContext => ({
    chainId,
    database,
    beside,
    exclusive: beside,
    clock: () => hall.now,
    logger: { info: () => undefined },
    multicall: unasked,
    source: { balances: unasked, calls: unasked, hashesOf: unasked, capabilities: source.capabilities },
    ...context,
  });
  const hall: Hall = {
    test,
    jobContext,
    now: new Date("2026-01-01T00:00:00Z"),
    warnings: [],
    index: async () => {
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
      for (let looks = 1; ; looks += 1) {
        let hasMore = false;
        for (const job of jobs) {
          hasMore = (await job.run(jobContext())) || hasMore;
        }
        if (!hasMore) return looks;
      }
    },
    worker: (readDocument, overrides = {}) =>
      createMetadataWorker({
        chainId,
        chainName: "test",
        database,
        source,
        multicall,
        readDocument,
        clock: () => hall.now,
        nfts: { metadata: "cached", fetchesAtOnce: 16, fetchMilliseconds: 15_000, documentBytes: 1_048_576 },
        logger: { info: () => undefined, warn: (message) => hall.warnings.push(message) },
        pauseMilliseconds: 5,
        ...overrides,
      }),
    takeBackTo: (ancestor) =>
      database.transaction(async (client) => {
        // As the ledger's projection and that of collections would.
        for (const table of ["nft_tokens", "nft_metadata_updates"]) {
          await client.query(`DELETE FROM ${table} WHERE block_number > $1`, [ancestor]);
        }
        await client.query("DELETE FROM blocks WHERE number > $1", [ancestor]);
        await rollBack(client, chainId, ancestor, 0, [], followingTables);
      }),
    waiting: () => database.query("SELECT token, token_id, wanted_block, attempts, url FROM nft_reads ORDER BY token, token_id"),
    kept: () => database.query("SELECT token, token_id, name, refusal, read_at_block FROM nft_metadata ORDER BY token, token_id"),
  };
  return hall;
};
