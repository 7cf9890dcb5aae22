import type { StorySize } from "../queries/story.ts";
import { nameRegistry, openServedIndex } from "../serve/index.ts";
import type { ProductShard } from "../serve/product.ts";
import type { RowCase } from "../serve/row-case.ts";
import { type BenchServer, startBenchServer } from "../support/server.ts";

/** The second shard's chain, which has the same blocks as the first one. */
const chain = { name: "bench-shard", id: 900_001, nativeToken: { name: "Ether", symbol: "ETH", decimals: 18 }, nameRegistry };

/** A second database server with its own chain. */
export interface BenchShard extends ProductShard {
  readonly server: BenchServer;
  readonly databaseName: string;
}

/** Starts the second shard's server with its data in the folder, and opens its chain's index. */
export async function startShard(
  folder: string,
  settings: Readonly<Record<string, string>>,
  size: StorySize,
  print: (line: string) => void,
): Promise<BenchShard> {
  const server = await startBenchServer(folder, settings);
  try {
    const databaseName = await openServedIndex(server, size, print, chain.id);
    return { chain, databaseUrl: server.urlOf(databaseName), databaseName, server };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The case, with its requests sent in turn for the chains of both shards. */
export const forBothChains = (rowCase: RowCase): RowCase => ({
  ...rowCase,
  paths: rowCase.paths.flatMap((path) => [path, path.replace("/eth-mainnet/", `/${chain.name}/`)]),
});
