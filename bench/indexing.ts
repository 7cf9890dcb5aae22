import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startHistory } from "./indexing/chain.ts";
import { compare } from "./indexing/compare.ts";
import { resultOf } from "./indexing/figures.ts";
import type { BenchResult } from "./result.ts";
import { numberOption } from "./support/number-option.ts";
import { startBenchServer } from "./support/server.ts";

/** Compares the indexer with a script that only fetches and copies: interleaved runs on one chain and one server. */
export async function run(args: readonly string[]): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      transfers: { type: "string", default: "40000" },
      blocks: { type: "string", default: "3000" },
      runs: { type: "string", default: "3" },
      traces: { type: "boolean", default: false },
      profile: { type: "string" },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), "ashlar-bench-indexing-"));
  const server = await startBenchServer(folder);
  try {
    const chain = await startHistory(
      { transfers: numberOption(values, "transfers"), blocks: numberOption(values, "blocks") },
      join(folder, "node"),
    );
    try {
      const work = { rpc: chain.url, chainId: Number(await chain.rpc("eth_chainId")), head: await chain.head(), traces: values.traces };
      return resultOf(
        await compare(server, work, {
          folder: join(folder, "compiled"),
          runs: numberOption(values, "runs"),
          transfers: chain.transfers,
          profile: values.profile,
        }),
      );
    } finally {
      await chain.stop();
    }
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
