import { stdout } from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { deadline } from "../../support/deadline.ts";
import type { ServedChain } from "../../support/edge-cases/compare-heights.ts";
import { serveChains } from "../../support/edge-cases/deployment.ts";
import { runAudit } from "../../support/indexer-process.ts";
import { type Clock, replaceClock } from "../../support/nonstandard-tokens/clock.ts";
import { type ComparisonResult, compareAt, type Difference, renderDifferences } from "../../support/nonstandard-tokens/compare-served.ts";
import { startTokenChain, type TokenChain } from "../../support/nonstandard-tokens/deployment.ts";
import { shortenJobIntervals } from "../../support/nonstandard-tokens/fast-reconciliation.ts";
import { createNodeReader, type NodeState } from "../../support/nonstandard-tokens/node-values.ts";
import { createTokenStory, rounds, type TokenStory } from "../../support/nonstandard-tokens/story.ts";
import type { TestToken } from "../../support/nonstandard-tokens/token-kind.ts";
import { indexUntilHead, isIndexed } from "../../support/service.ts";
import { until } from "../../support/until.ts";

/**
 * Tokens that keep to ERC-20 in their own way (after what github.com/d-xo/weird-erc20 describes, and more), used at random over 150 blocks. The index follows; after
 * each of the five rounds the chain stands still until all that is served equals what the contracts answer at that height. What is expected comes from the node alone.
 */
const seed = 20_250_711;
/** For all waiting together, in real time. */
const settlingMilliseconds = deadline(900_000);
/**
 * A change without a call or an event of a token is found within an hour. When nothing has improved for a while, the clock is advanced in steps, by an hour and some
 * minutes for each round, as the hour of a token begins when it was found. Too short a wait would use up the hour before the jobs of a busy machine have run.
 */
const patienceMilliseconds = deadline(6_000);
/** The wait after the last step. */
const lastPatienceMilliseconds = deadline(60_000);
const minutesThatPass: readonly number[] = [1, 1, 58, 10];

/** How long it took until nothing differed, and what still did when the time was over. */
interface Settled extends ComparisonResult {
  readonly height: number;
  /** How many differed after how many seconds, whenever there were fewer. */
  readonly progress: readonly string[];
}

let tokenChain: TokenChain;
let story: TokenStory;
let test: TestDatabase;
let clock: Clock;
let indexing: { stop(): Promise<void> } | undefined;
let service: Awaited<ReturnType<typeof serveChains>>;
const settled: Settled[] = [];
let history: Settled;
let left = settlingMilliseconds;

const on = (): ServedChain => ({ ...service, name: tokenChain.config.name });

/** Waits until nothing differs, or time is over. */
const settle = async (height: number, judge: () => Promise<ComparisonResult>): Promise<Settled> => {
  const [started, steps, progress] = [performance.now(), [...minutesThatPass], [] as string[]];
  let [passed, fewest, improved] = [0, Number.POSITIVE_INFINITY, started];
  try {
    for (;;) {
      const result = await judge();
      const now = performance.now();
      const count = result.differences.length;
      if (count < fewest) {
        [fewest, improved] = [count, now];
        progress.push(`${count} after ${((now - started) / 1000).toFixed(0)} s${passed === 0 ? "" : ` and ${passed} min`}`);
      } else if (now - improved > (steps.length === 0 ? lastPatienceMilliseconds : patienceMilliseconds)) {
        const minutes = steps.shift();
        if (minutes === undefined) return { ...result, height, progress };
        clock.advance(minutes * 60_000);
        [passed, improved] = [passed + minutes, now];
      }
      if (count === 0 || now - started > left) return { ...result, height, progress };
      await wait(500);
    }
  } finally {
    left -= performance.now() - started;
  }
};

/** Judges several heights as one. */
const compareHeights = async (heights: readonly number[], tokens: readonly TestToken[]): Promise<ComparisonResult> => {
  const results: ComparisonResult[] = [];
  for (const height of heights) results.push(await compareAt(on(), await stateAt(height), tokens, height));
  return {
    compared: results.reduce((sum, { compared }) => sum + compared, 0),
    differences: results.flatMap(({ differences }) => differences),
  };
};

/** What was true at a height stays so: it is read once. */
const states = new Map<number, Promise<NodeState>>();
const stateAt = (height: number): Promise<NodeState> => {
  const known = states.get(height) ?? createNodeReader(tokenChain).readAt(height);
  states.set(height, known);
  return known;
};

beforeAll(async () => {
  clock = replaceClock();
  shortenJobIntervals();
  tokenChain = await startTokenChain();
  test = await createTestDatabase();
  story = createTokenStory(tokenChain, seed);
  for (let round = 0; round < rounds; round += 1) {
    const height = await story.runRound();
    indexing ??= await indexUntilHead(tokenChain.config, test.url);
    service ??= await serveChains([tokenChain.config], test.database);
    await until("Following the chain", () => isIndexed(test.database, tokenChain.config.id, height));
    const [state, allowances] = [await stateAt(height), await createNodeReader(tokenChain).allowancesAt(height)];
    settled.push(await settle(height, () => compareAt(on(), state, tokenChain.tokens, "head", allowances)));
  }
  const heights = settled.map(({ height }) => height);
  history = await settle(Math.max(...heights), () => compareHeights(heights, tokenChain.tokens));
}, 1_500_000);
afterAll(async () => {
  await service?.stop();
  await indexing?.stop();
  await tokenChain?.stop();
  await test?.drop();
  clock?.restore();
});

/** Fails with all differences as a table. */
const expectNone = (differences: readonly Difference[]): void => {
  if (differences.length > 0) expect.fail(`${differences.length} differences\n${renderDifferences(differences)}`);
};

describe("tokens that keep to ERC-20 in their own way", () => {
  it("were used: each step that only one kind has succeeded, but for those that it is there to refuse", () => {
    const never = [...story.counts].filter(([, { isSpecific, succeeded }]) => isSpecific && succeeded === 0).map(([name]) => name);
    expect(never.sort()).toEqual(["NoZeroApproval: revokeNothing", "NoZeroTransfer: moveNothing", "Uint96: moveTooMuch"]);
    const counts = [...story.counts.values()];
    const count = (of: "succeeded" | "failed") => counts.reduce((sum, count) => sum + count[of], 0);
    stdout.write(`${tokenChain.tokens.length} contracts, ${count("succeeded")} calls that succeeded and ${count("failed")} that failed.\n`);
    expect(tokenChain.tokens.length).toBeGreaterThanOrEqual(40);
    expect(count("succeeded")).toBeGreaterThan(1_500);
  });

  it("have the balances, holders, supplies and allowances of their contracts at the head, after each round, once they are settled", () => {
    for (const { height, compared, progress } of settled)
      stdout.write(`Block ${height}, ${compared} compared: ${progress.join(", ")} differ.\n`);
    expectNone(settled.flatMap(({ differences }) => differences));
  });

  it("have the balances, holders and supplies of their contracts at the end of each round, asked for later", () => {
    stdout.write(`All five, ${history.compared} compared: ${history.progress.join(", ")} differ.\n`);
    expectNone(history.differences);
  });

  it("have them in the middle of each round, where nothing changes without a Transfer", async () => {
    const tokens = tokenChain.tokens.filter(({ kind }) => kind.isSilent !== true);
    const heights = settled.map(({ height }) => height - 15);
    const { differences } = await compareHeights(heights, tokens);
    expectNone(differences);
  });

  it("leave nothing for an audit to find", async () => {
    const { code, output } = await runAudit(tokenChain.folder, test.url);
    expect(code, output).toBe(0);
  });
});
