import { stdout } from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import type { ServedChain } from "../../support/edge-cases/compare-heights.ts";
import { serveChains } from "../../support/edge-cases/deployment.ts";
import { runAudit } from "../../support/indexer-process.ts";
import { type Clock, replaceClock } from "../../support/nonstandard-tokens/clock.ts";
import { type ComparisonResult, compareAt, type Difference, renderDifferences } from "../../support/nonstandard-tokens/compare-served.ts";
import { startTokenChain, type TokenChain } from "../../support/nonstandard-tokens/deployment.ts";
import { createNodeReader, type NodeState } from "../../support/nonstandard-tokens/node-values.ts";
import { shortenJobIntervals } from "../../support/nonstandard-tokens/shorten-job-intervals.ts";
import { createTokenStory, rounds, type TokenStory } from "../../support/nonstandard-tokens/story.ts";
import type { TestToken } from "../../support/nonstandard-tokens/token-kind.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { indexUntilHead, isIndexed } from "../../support/service.ts";
import { until } from "../../support/until.ts";

/*
 * Tokens with nonstandard behaviour (from github.com/d-xo/weird-erc20 and others) are used at random over 150 blocks while they are indexed. After
 * each of the five rounds, no block is mined until all served values equal the contracts' at that height. Expected values come from the node only.
 */

const seed = 20_250_711;
/** The maximum total waiting time. */
const reconciliationMilliseconds = scaleTimeLimit(900_000);
/**
 * Reconciliation finds a change without a call or event within an hour. If the number of differences has not decreased for this time, the clock is
 * advanced by the next step; all steps together are an hour and some minutes. With a shorter time, a busy machine would use up the hour before its
 * jobs have run.
 */
const stepMilliseconds = scaleTimeLimit(6_000);
/** The wait after the last step. */
const lastStepMilliseconds = scaleTimeLimit(60_000);
const clockSteps: readonly number[] = [1, 1, 58, 10];

/** The remaining differences at the end of the wait. */
interface Reconciled extends ComparisonResult {
  readonly height: number;
  /** The number of differences after each decrease. */
  readonly progress: readonly string[];
}

let tokenChain: TokenChain;
let story: TokenStory;
let testDatabase: TestDatabase;
let clock: Clock;
let indexing: { stop(): Promise<void> } | undefined;
let service: Awaited<ReturnType<typeof serveChains>>;
const reconciled: Reconciled[] = [];
let history: Reconciled;
let remainingMilliseconds = reconciliationMilliseconds;

const served = (): ServedChain => ({ ...service, name: tokenChain.config.name });

/** Waits until there are no differences or the time has elapsed. */
const waitForEquality = async (height: number, compare: () => Promise<ComparisonResult>): Promise<Reconciled> => {
  const [started, steps, progress] = [performance.now(), [...clockSteps], [] as string[]];
  let [passed, minimum, improved] = [0, Number.POSITIVE_INFINITY, started];
  try {
    for (;;) {
      const result = await compare();
      const now = performance.now();
      const count = result.differences.length;
      if (count < minimum) {
        [minimum, improved] = [count, now];
        progress.push(`${count} after ${((now - started) / 1000).toFixed(0)} s${passed === 0 ? "" : ` and ${passed} min`}`);
      } else if (now - improved > (steps.length === 0 ? lastStepMilliseconds : stepMilliseconds)) {
        const minutes = steps.shift();
        if (minutes === undefined) return { ...result, height, progress };
        clock.advance(minutes * 60_000);
        [passed, improved] = [passed + minutes, now];
      }
      if (count === 0 || now - started > remainingMilliseconds) return { ...result, height, progress };
      await wait(500);
    }
  } finally {
    remainingMilliseconds -= performance.now() - started;
  }
};

/** Compares several heights. */
const compareHeights = async (heights: readonly number[], tokens: readonly TestToken[]): Promise<ComparisonResult> => {
  const results: ComparisonResult[] = [];
  for (const height of heights) results.push(await compareAt(served(), await stateAt(height), tokens, height));
  return {
    compared: results.reduce((sum, { compared }) => sum + compared, 0),
    differences: results.flatMap(({ differences }) => differences),
  };
};

/** The node's state by height, read once. */
const states = new Map<number, Promise<NodeState>>();
const stateAt = (height: number): Promise<NodeState> => {
  const state = states.get(height) ?? createNodeReader(tokenChain).readAt(height);
  states.set(height, state);
  return state;
};

beforeAll(async () => {
  clock = replaceClock();
  shortenJobIntervals();
  tokenChain = await startTokenChain();
  testDatabase = await createTestDatabase();
  story = createTokenStory(tokenChain, seed);
  for (let round = 0; round < rounds; round += 1) {
    const height = await story.runRound();
    indexing ??= await indexUntilHead(tokenChain.config, testDatabase.url);
    service ??= await serveChains([tokenChain.config], testDatabase.database);
    await until("the index to reach the head", () => isIndexed(testDatabase.database, tokenChain.config.id, height));
    const [state, allowances] = [await stateAt(height), await createNodeReader(tokenChain).allowancesAt(height)];
    reconciled.push(await waitForEquality(height, () => compareAt(served(), state, tokenChain.tokens, "head", allowances)));
  }
  const heights = reconciled.map(({ height }) => height);
  history = await waitForEquality(Math.max(...heights), () => compareHeights(heights, tokenChain.tokens));
}, 1_500_000);
afterAll(async () => {
  await service?.stop();
  await indexing?.stop();
  await tokenChain?.stop();
  await testDatabase?.drop();
  clock?.restore();
});

/** Fails with a table of the differences if there are any. */
const expectNoDifferences = (differences: readonly Difference[]): void => {
  if (differences.length > 0) expect.fail(`${differences.length} differences\n${renderDifferences(differences)}`);
};

describe("tokens with nonstandard behaviour", () => {
  it("succeed at least once in every specific step that their contract does not reject", () => {
    const neverSucceeded = [...story.counts].filter(([, { isSpecific, succeeded }]) => isSpecific && succeeded === 0).map(([name]) => name);
    expect(neverSucceeded.sort()).toEqual(["NoZeroApproval: approveZero", "NoZeroTransfer: transferZero", "Uint96: transferTooMuch"]);
    const counts = [...story.counts.values()];
    const count = (outcome: "succeeded" | "failed") => counts.reduce((sum, step) => sum + step[outcome], 0);
    stdout.write(`${tokenChain.tokens.length} contracts, ${count("succeeded")} calls that succeeded and ${count("failed")} that failed.\n`);
    expect(tokenChain.tokens.length).toBeGreaterThanOrEqual(40);
    expect(count("succeeded")).toBeGreaterThan(1_500);
  });

  it("have the contracts' balances, holders, supplies and allowances at the head after each round, once reconciled", () => {
    for (const { height, compared, progress } of reconciled)
      stdout.write(`Block ${height}, ${compared} compared: ${progress.join(", ")} differ.\n`);
    expectNoDifferences(reconciled.flatMap(({ differences }) => differences));
  });

  it("have the contracts' past balances, holders and supplies as of each round's end", () => {
    stdout.write(`All rounds, ${history.compared} compared: ${history.progress.join(", ")} differ.\n`);
    expectNoDifferences(history.differences);
  });

  it("have the contracts' values in the middle of each round, if their balances change only by Transfers", async () => {
    const tokens = tokenChain.tokens.filter(({ kind }) => kind.isSilent !== true);
    const heights = reconciled.map(({ height }) => height - 15);
    const { differences } = await compareHeights(heights, tokens);
    expectNoDifferences(differences);
  });

  it("pass `ashlar audit`", async () => {
    const { code, output } = await runAudit(tokenChain.folder, testDatabase.url);
    expect(code, output).toBe(0);
  });
});
