import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareProjections, resultOfComparison } from "./indexing/compare-projections.ts";
import { resultOfDocuments } from "./nft/documents-figures.ts";
import { readDocuments, startAlmanac } from "./nft/read-documents.ts";
import { serveCollections } from "./nft/serve.ts";
import { startTradeHistory, type TradeSize } from "./nft/trade-chain.ts";
import type { BenchResult } from "./result.ts";
import { type BenchServer, startBenchServer } from "./support/server.ts";

const help = `npm run bench -- nft [options]
  --only documents|index|serve  one part alone: reading metadata, indexing with and without NFTs, or the answers about them
  --documents 10000    of the collection whose metadata is read
  --transactions 20000 of the chain that is indexed, --blocks 1500 of it, --runs 3 of each kind
  --tokens 10000       of the large collection of the generated index that is asked, --sales 50000, --seed 1
  --times 31           requests of each kind of question, --rows 7,8 of these rows alone
  --data FOLDER        where the generated index is kept between runs (ASHLAR_BENCH_DIR, else a folder of the system's for temporary files)
`;
/** What is made can be made again: it need not survive a power failure. */
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", maintenance_work_mem: "512MB" };
const parts = ["documents", "index", "serve"] as const;
type Part = (typeof parts)[number];
/** The projections that are there for collections, their sales, and approvals. */
const own: ReadonlySet<string> = new Set(["nft", "nft-sales", "approvals"]);

/** What NFTs cost: metadata read from their contracts, an index with their projections against the same chain without, and the answers about them. */
export async function run(words: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: "string" },
      documents: { type: "string", default: "10000" },
      transactions: { type: "string", default: "20000" },
      blocks: { type: "string", default: "1500" },
      runs: { type: "string", default: "3" },
      tokens: { type: "string", default: "10000" },
      sales: { type: "string", default: "50000" },
      seed: { type: "string", default: "1" },
      times: { type: "string", default: "31" },
      rows: { type: "string" },
      data: { type: "string", default: process.env.ASHLAR_BENCH_DIR ?? join(tmpdir(), "ashlar-bench-nft") },
      help: { type: "boolean", default: false },
    },
  });
  const { only } = values;
  if (only !== undefined && !parts.some((part) => part === only)) throw new Error(`--only ${only} is none of ${parts.join(", ")}.`);
  if (values.help) {
    process.stdout.write(help);
    return { table: [], figures: {}, missed: [] };
  }
  const work: Readonly<Record<Part, () => Promise<BenchResult>>> = {
    documents: () => onOwnServer((server, folder) => readAll(server, folder, Number(values.documents))),
    index: () =>
      onOwnServer((server, folder) =>
        indexTwice(server, folder, { transactions: Number(values.transactions), blocks: Number(values.blocks) }, Number(values.runs)),
      ),
    serve: async () => {
      const size = { tokens: Number(values.tokens), sales: Number(values.sales), seed: Number(values.seed) };
      const server = await startBenchServer(values.data, settings);
      try {
        return await serveCollections(server, { ...size, times: Number(values.times), rows: values.rows?.split(",").map(Number) });
      } finally {
        await server.stop();
      }
    },
  };
  const results: BenchResult[] = [];
  for (const part of parts) if (only === undefined || only === part) results.push(await work[part]());
  return {
    table: [],
    further: results.flatMap(({ table, further = [] }) => [table, ...further]),
    figures: Object.assign({}, ...results.map(({ figures }) => figures)) as BenchResult["figures"],
    missed: results.flatMap(({ missed }) => missed),
  };
}

/** With a server's usual, durable settings and an empty folder, both of which go afterwards. */
async function onOwnServer(work: (server: BenchServer, folder: string) => Promise<BenchResult>): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), "ashlar-bench-nft-"));
  const server = await startBenchServer(join(folder, "database"));
  try {
    return await work(server, folder);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function readAll(server: BenchServer, folder: string, documents: number): Promise<BenchResult> {
  const chain = await startAlmanac(documents, join(folder, "node"));
  try {
    return resultOfDocuments(await readDocuments(server, chain, documents, folder));
  } finally {
    await chain.stop();
  }
}

async function indexTwice(server: BenchServer, folder: string, size: TradeSize, runs: number): Promise<BenchResult> {
  const chain = await startTradeHistory(size, join(folder, "node"));
  try {
    const comparison = await compareProjections(server, {
      rpc: chain.url,
      chainId: chain.chainId,
      head: await chain.head(),
      subject: "NFTs and approvals",
      own,
      folder: join(folder, "compiled"),
      runs,
      check: (rows) => {
        if (rows.nft_sales !== chain.sales) throw new Error(`${chain.sales} sales were made and ${rows.nft_sales ?? 0} indexed.`);
      },
    });
    return resultOfComparison(comparison);
  } finally {
    await chain.stop();
  }
}
