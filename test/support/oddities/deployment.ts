import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { type Serving, startServing } from "../../../runtime/commands/serving.ts";
import { type ChainConfig, chainConfig, config as configSchema } from "../../../runtime/config/config.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { startTestChain, type TestChain } from "../chain.ts";
import { genesisFile, type OddStory, tellOddities } from "./build-story.ts";
import { findParticipants, type Participants } from "./participants.ts";
import { startWithdrawingNode } from "./withdrawals.ts";

/** A chain with the story of oddities told. */
export interface OddChain {
  readonly id: number;
  readonly chain: TestChain;
  /** Where an indexer asks: the node, with the blocks' withdrawals where it has them. */
  readonly rpc: string;
  readonly story: OddStory;
  readonly participants: Participants;
  stop(): Promise<void>;
}

/** Starts a node of a fork with its own genesis, and tells it the story. */
export async function startOddChain(id: number, fork: "london" | "prague"): Promise<OddChain> {
  const folder = await mkdtemp(join(tmpdir(), "ashlar-oddities-"));
  const genesis = join(folder, "genesis.json");
  await writeFile(genesis, genesisFile(id));
  const chain = await startTestChain({ args: ["--chain-id", String(id), "--hardfork", fork, "--init", genesis] });
  const withdrawing = fork === "london" ? null : await startWithdrawingNode(chain);
  const stop = async (): Promise<void> => {
    await withdrawing?.close();
    await chain.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const story = await tellOddities(chain, { chainId: id, prague: fork === "prague", withdrawing });
    return { id, chain, rpc: withdrawing?.url ?? chain.url, story, participants: await findParticipants(chain), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Such a chain as a configuration states it. */
export const oddChainConfig = ({ id, rpc, story }: OddChain, name: string, overrides: Partial<ChainConfig> = {}): ChainConfig => ({
  ...chainConfig.parse({
    name,
    id,
    rpc,
    wrappedNative: [story.wrappedNative],
    nativeAccounting: "traces",
    groups: ["historical"],
    pollMilliseconds: 100,
  }),
  id,
  ...overrides,
});

/** Serves chains out of a database, every answer checked against the catalog. */
export async function serveChains(chains: readonly ChainConfig[], database: Database): Promise<Serving & { readonly key: string }> {
  const { key } = await createKeys(database).create({ label: "tests" });
  const config = configSchema.parse({ port: 0, limits: { requestsPerSecond: 100_000 } });
  const serving = await startServing({ config, chains, database, logger: pino({ level: "silent" }), validate: "strict" });
  return { ...serving, key };
}

/** Heights spread over a chain, its last among them. */
export const spread = (first: number, last: number, count: number): number[] => [
  ...new Set(Array.from({ length: count }, (_, position) => Math.round(first + ((last - first) * position) / (count - 1)))),
];
