import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareProjections, resultOfComparison } from "./indexing/compare-projections.ts";
import { resultOfDocuments } from "./nft/documents-figures.ts";
import { readDocuments, startCollectionNode } from "./nft/read-documents.ts";
import { serveCollections } from "./nft/serve.ts";
import { startTradeHistory, type TradeSize } from "./nft/trade-chain.ts";
import type { BenchResult } from "./result.ts";
import { numberOption } from "./support/number-option.ts";
import { type BenchServer, startBenchServer } from "./support/server.ts";

const help = `npm run bench -- nft [options]
  --only documents|index|serve   one part: reading metadata, indexing with and without NFTs, or serving the endpoints
  --documents N      tokens of the collection whose metadata is read (default: 10000)
  --transactions N   transactions of the indexed chain (default: 20000)
  --blocks N         blocks of the indexed chain (default: 1500)
  --runs N           indexing runs with and without NFTs, each (default: 3)
  --tokens N         tokens of the large collection of the served index (default: 10000)
  --sales N          sales of the served index (default: 50000)
  --seed N           seed of the served index (default: 1)
  --times N          requests per endpoint case (default: 31)
  --rows A,B         only these endpoint rows, such as 7,8
  --data FOLDER      folder of the generated index, stored between runs (default: ASHLAR_BENCH_DIR, else in the system's temporary directory)
`;
/** Benchmark data can be rebuilt and need not survive a power failure. */
const settings = { fsync: "off", synchronous_commit: "off", full_page_writes: "off", maintenance_work_mem: "512MB" };
const parts = ["documents", "index", "serve"] as const;
type Part = (typeof parts)[number];
/** The projections of collections, sales and approvals. */
const nftProjections: ReadonlySet<string> = new Set(["nft", "nft-sales", "approvals"]);

/** Measures the cost of NFTs: reading metadata, indexing a chain with and without their projections, and their endpoints on a generated index. */
export async function run(args: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
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
  if (only !== undefined && !parts.some((part) => part === only))
    throw new Error(`Invalid value "${only}" for --only: expected ${parts.join(", ")}`);
  if (values.help) {
    process.stdout.write(help);
    return { table: [], figures: {}, missed: [] };
  }
  const work: Readonly<Record<Part, () => Promise<BenchResult>>> = {
    documents: () => withServer((server, folder) => benchDocuments(server, folder, numberOption(values, "documents"))),
    index: () =>
      withServer((server, folder) =>
        benchIndexing(
          server,
          folder,
          { transactions: numberOption(values, "transactions"), blocks: numberOption(values, "blocks") },
          numberOption(values, "runs"),
        ),
      ),
    serve: async () => {
      const size = { tokens: numberOption(values, "tokens"), sales: numberOption(values, "sales"), seed: numberOption(values, "seed") };
      const server = await startBenchServer(values.data, settings);
      try {
        return await serveCollections(server, { ...size, times: numberOption(values, "times"), rows: values.rows?.split(",").map(Number) });
      } finally {
        await server.stop();
      }
    },
  };
  const results: BenchResult[] = [];
  for (const part of parts) if (only === undefined || only === part) results.push(await work[part]());
  return {
    table: [],
    otherTables: results.flatMap(({ table, otherTables = [] }) => [table, ...otherTables]),
    figures: Object.assign({}, ...results.map(({ figures }) => figures)) as BenchResult["figures"],
    missed: results.flatMap(({ missed }) => missed),
  };
}

/** Runs work on a server with durable settings in an empty folder, and removes both afterwards. */
async function withServer(work: (server: BenchServer, folder: string) => Promise<BenchResult>): Promise<BenchResult> {
  const folder = await mkdtemp(join(tmpdir(), "ashlar-bench-nft-"));
  const server = await startBenchServer(join(folder, "database"));
  try {
    return await work(server, folder);
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function benchDocuments(server: BenchServer, folder: string, documents: number): Promise<BenchResult> {
  const chain = await startCollectionNode(documents, join(folder, "node"));
  try {
    return resultOfDocuments(await readDocuments(server, chain, documents, folder));
  } finally {
    await chain.stop();
  }
}

async function benchIndexing(server: BenchServer, folder: string, size: TradeSize, runs: number): Promise<BenchResult> {
  const chain = await startTradeHistory(size, join(folder, "node"));
  try {
    const comparison = await compareProjections(server, {
      rpc: chain.url,
      chainId: chain.chainId,
      head: await chain.head(),
      subject: "NFTs and approvals",
      compared: nftProjections,
      folder: join(folder, "compiled"),
      runs,
      check: (rows) => {
        if (rows.nft_sales !== chain.saleCount) throw new Error(`Indexed ${rows.nft_sales ?? 0} of ${chain.saleCount} sales`);
      },
    });
    return resultOfComparison(comparison);
  } finally {
    await chain.stop();
  }
}
