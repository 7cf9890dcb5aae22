import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { type ApiServer, startApiServer } from "../../../runtime/commands/api-server.ts";
import { type ChainConfig, chainConfigSchema, configSchema } from "../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../runtime/config/key-limits.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { createKeys } from "../../../runtime/http/keys.ts";
import { startTestChain, type TestChain } from "../chain.ts";
import { buildEdgeCases, type EdgeCaseStory, genesisFile } from "./build-story.ts";
import { findParticipants, type Participants } from "./participants.ts";
import { startWithdrawingNode } from "./withdrawals.ts";

/** A chain with the mined edge cases. */
export interface EdgeCaseChain {
  readonly id: number;
  readonly chain: TestChain;
  /** The RPC URL for an indexer: the node, or a proxy that adds withdrawals to its blocks. */
  readonly rpc: string;
  readonly story: EdgeCaseStory;
  readonly participants: Participants;
  stop(): Promise<void>;
}

/** Starts a node for a fork with a custom genesis and mines the edge cases. */
export async function startEdgeCaseChain(id: number, fork: "london" | "prague"): Promise<EdgeCaseChain> {
  const folder = await mkdtemp(join(tmpdir(), "ashlar-edge-cases-"));
  const genesis = join(folder, "genesis.json");
  await writeFile(genesis, genesisFile(id));
  const chain = await startTestChain({ args: ["--chain-id", String(id), "--hardfork", fork, "--init", genesis] });
  const withdrawingNode = fork === "london" ? null : await startWithdrawingNode(chain);
  const stop = async (): Promise<void> => {
    await withdrawingNode?.close();
    await chain.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const story = await buildEdgeCases(chain, { chainId: id, isPrague: fork === "prague", withdrawingNode });
    return { id, chain, rpc: withdrawingNode?.url ?? chain.url, story, participants: await findParticipants(chain), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Returns the chain's settings. */
export const edgeCaseChainConfig = (
  { id, rpc, story }: EdgeCaseChain,
  name: string,
  overrides: Partial<ChainConfig> = {},
): ChainConfig => ({
  ...chainConfigSchema.parse({
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

/** Serves chains from a database and validates every response against the catalog. */
export async function serveChains(chains: readonly ChainConfig[], database: Database): Promise<ApiServer & { readonly key: string }> {
  const { key } = await createKeys(database).create({ label: "tests" });
  const config = configSchema.parse({ port: 0, limits: { requestsPerSecond: 100_000, ...noKeyLimits } });
  const serving = await startApiServer({
    config,
    chains,
    database,
    reader: database,
    logger: pino({ level: "silent" }),
    validate: "strict",
  });
  return { ...serving, key };
}

/** Returns heights that are evenly spread over a range, including its ends. */
export const evenlySpacedHeights = (first: number, last: number, count: number): number[] => [
  ...new Set(Array.from({ length: count }, (_, position) => Math.round(first + ((last - first) * position) / (count - 1)))),
];
