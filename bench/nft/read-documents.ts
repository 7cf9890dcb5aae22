import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { chainConfig } from "../../runtime/config/config.ts";
import type { Database } from "../../runtime/database/database.ts";
import type { Address } from "../../runtime/lib/hex.ts";
import { call, startTestChain, type TestChain } from "../../test/support/chain.ts";
import { startIndexer } from "../../test/support/indexer-process.ts";
import { multicall, multicallCode } from "../../test/support/multicall.ts";
import { type Calibration, calibrateByQuery } from "../support/calibration.ts";
import { processorSecondsOf } from "../support/processor-time.ts";
import { hexOf } from "../support/random.ts";
import type { BenchServer } from "../support/server.ts";
import { compileAlmanac } from "./almanac.ts";

/** What it took until all documents of a collection were kept. */
export interface DocumentsRun {
  readonly documents: number;
  /** From the process's start until the index had the node's head. */
  readonly levelMilliseconds: number;
  /** From then on until the last document was kept. */
  readonly milliseconds: number;
  /** Processor seconds of the node, the database and the indexer, until the last document was kept; null where the system does not say. */
  readonly processor: Readonly<Record<"node" | "database" | "indexer", number | null>>;
  readonly load: number;
  readonly calibration: Calibration;
}

const printedAtOnce = 100;
const owners = 500;
const ownerKind = 71;
const betweenLooks = 50;
const patienceMilliseconds = 600_000;

/** A node of one's own with a collection of so many tokens that draws their metadata itself. */
export async function startAlmanac(documents: number, cacheFolder: string): Promise<TestChain & { readonly collection: Address }> {
  const chain = await startTestChain({ args: ["--prune-history", "10", "--cache-path", cacheFolder] });
  try {
    await chain.rpc("anvil_setCode", [multicall, await multicallCode(chain)]);
    const artifact = compileAlmanac();
    const collection = await chain.deploy(artifact);
    for (let first = 0; first < documents; first += printedAtOnce) {
      const recipients = Array.from({ length: Math.min(printedAtOnce, documents - first) }, (_, index) =>
        hexOf(ownerKind, (first + index) % owners, 5),
      );
      const [hash] = await chain.send({ ...call(artifact, collection, "print", [recipients]), gas: 15_000_000n });
      await chain.mine();
      const { status } = await chain.rpc<{ status: string }>("eth_getTransactionReceipt", [hash]);
      if (status !== "0x1") throw new Error("The collection could not be printed.");
    }
    return { ...chain, collection: collection.toLowerCase() as Address };
  } catch (error) {
    await chain.stop();
    throw error;
  }
}

/** Indexes the collection with `ashlar index` into an empty database and waits for its documents. @throws where they are not all kept in time, or one was refused. */
export async function readDocuments(
  server: BenchServer,
  chain: Awaited<ReturnType<typeof startAlmanac>>,
  documents: number,
  folder: string,
): Promise<DocumentsRun> {
  const id = Number(await chain.rpc("eth_chainId"));
  const head = await chain.head();
  const url = await server.create("documents");
  const config = { ...chainConfig.parse({ name: "bench", id, rpc: chain.url, nativeAccounting: "none" }), id };
  return server.on("documents", async (database) => {
    const calibration = await calibrateByQuery(database);
    const before = processorNow();
    const started = performance.now();
    const indexer = await startIndexer(join(folder), config, url);
    const look = async (done: () => Promise<boolean>): Promise<number> => {
      for (;;) {
        if (await done()) return performance.now() - started;
        const isOver = performance.now() - started > patienceMilliseconds;
        if (isOver || indexer.child.exitCode !== null) throw new Error(`The documents were not read: ${indexer.output().slice(-1_000)}`);
        await wait(betweenLooks);
      }
    };
    try {
      const level = await look(async () => (await indexedBlock(database, id)) >= head);
      const kept = await look(async () => (await keptDocuments(database, id)) >= documents);
      const after = processorNow();
      const [load = Number.NaN] = loadavg();
      return { documents, levelMilliseconds: level, milliseconds: kept - level, processor: difference(before, after), load, calibration };
    } finally {
      await indexer.stop();
    }
  });
}

/** The block that every projection has. */
const indexedBlock = async (database: Database, chainId: number): Promise<number> => {
  const [row] = await database.query<{ block: number | null }>(
    "SELECT min(block_number) AS block FROM projection_checkpoints WHERE chain_id = $1",
    [chainId],
  );
  return row?.block ?? -1;
};

/** Tokens with a document and all of its traits. @throws where one was refused. */
const keptDocuments = async (database: Database, chainId: number): Promise<number> => {
  const [row] = await database.query<{ kept: number; refused: number }>(
    "SELECT metadata_count AS kept, refused_count AS refused FROM nft_documents WHERE chain_id = $1",
    [chainId],
  );
  if ((row?.refused ?? 0) > 0) throw new Error(`${row?.refused} documents were refused.`);
  return row?.kept ?? 0;
};

const processorNow = (): DocumentsRun["processor"] => ({
  node: processorSecondsOf("anvil"),
  database: processorSecondsOf("postgres"),
  indexer: processorSecondsOf("node"),
});

const difference = (before: DocumentsRun["processor"], after: DocumentsRun["processor"]): DocumentsRun["processor"] => {
  const of = (name: keyof DocumentsRun["processor"]): number | null => {
    const [from, to] = [before[name], after[name]];
    return from === null || to === null ? null : to - from;
  };
  return { node: of("node"), database: of("database"), indexer: of("indexer") };
};
