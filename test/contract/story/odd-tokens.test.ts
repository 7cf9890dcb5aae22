import { stdout } from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { deadline } from "../../support/deadline.ts";
import { runAudit } from "../../support/indexer-process.ts";
import { type Clock, replaceClock } from "../../support/odd-tokens/clock.ts";
import { type Difference, judgeAt, renderDifferences, type Verdict } from "../../support/odd-tokens/compare-served.ts";
import { type OddStage, startOddStage } from "../../support/odd-tokens/deployment.ts";
import { hurryJobs } from "../../support/odd-tokens/fast-reconciliation.ts";
import { createNodeTruth, type Truth } from "../../support/odd-tokens/node-values.ts";
import { acts, createOddStory, type OddStory } from "../../support/odd-tokens/story.ts";
import type { OddToken } from "../../support/odd-tokens/token-kind.ts";
import type { ServedChain } from "../../support/oddities/compare-heights.ts";
import { serveChains } from "../../support/oddities/deployment.ts";
import { indexUntilHead, isIndexed } from "../../support/service.ts";
import { until } from "../../support/until.ts";

/**
 * Tokens that keep to ERC-20 in their own way (after what github.com/d-xo/weird-erc20 describes, and more), used at random over 150 blocks. The index follows; after
 * each of the five acts the chain stands still until all that is served equals what the contracts answer at that height. What is expected comes from the node alone.
 */
const seed = 20_250_711;
/** For all waiting together, in real time. */
const settlingMilliseconds = deadline(900_000);
/**
 * A change without a call or an event of a token is found within an hour. When nothing has improved for a while, the clock is advanced in steps, by an hour and some
 * minutes for each act, as the hour of a token begins when it was found. Too short a wait would use up the hour before the jobs of a busy machine have run.
 */
const patienceMilliseconds = deadline(6_000);
/** The wait after the last step. */
const lastPatienceMilliseconds = deadline(60_000);
const minutesThatPass: readonly number[] = [1, 1, 58, 10];

/** How long it took until nothing differed, and what still did when the time was over. */
interface Settled extends Verdict {
  readonly height: number;
  /** How many differed after how many seconds, whenever there were fewer. */
  readonly progress: readonly string[];
}

let stage: OddStage;
let story: OddStory;
let test: TestDatabase;
let clock: Clock;
let indexing: { stop(): Promise<void> } | undefined;
let service: Awaited<ReturnType<typeof serveChains>>;
const settled: Settled[] = [];
let history: Settled;
let left = settlingMilliseconds;

const on = (): ServedChain => ({ ...service, name: stage.config.name });

/** Waits until nothing differs, or time is over. */
const settle = async (height: number, judge: () => Promise<Verdict>): Promise<Settled> => {
  const [started, steps, progress] = [performance.now(), [...minutesThatPass], [] as string[]];
  let [passed, fewest, improved] = [0, Number.POSITIVE_INFINITY, started];
  try {
    for (;;) {
      const verdict = await judge();
      const now = performance.now();
      const count = verdict.differences.length;
      if (count < fewest) {
        [fewest, improved] = [count, now];
        progress.push(`${count} after ${((now - started) / 1000).toFixed(0)} s${passed === 0 ? "" : ` and ${passed} min`}`);
      } else if (now - improved > (steps.length === 0 ? lastPatienceMilliseconds : patienceMilliseconds)) {
        const minutes = steps.shift();
        if (minutes === undefined) return { ...verdict, height, progress };
        clock.pass(minutes * 60_000);
        [passed, improved] = [passed + minutes, now];
      }
      if (count === 0 || now - started > left) return { ...verdict, height, progress };
      await wait(500);
    }
  } finally {
    left -= performance.now() - started;
  }
};

/** Judges several heights as one. */
const judgeHeights = async (heights: readonly number[], tokens: readonly OddToken[]): Promise<Verdict> => {
  const verdicts: Verdict[] = [];
  for (const height of heights) verdicts.push(await judgeAt(on(), await truthAt(height), tokens, height));
  return {
    compared: verdicts.reduce((sum, { compared }) => sum + compared, 0),
    differences: verdicts.flatMap(({ differences }) => differences),
  };
};

/** What was true at a height stays so: it is read once. */
const truths = new Map<number, Promise<Truth>>();
const truthAt = (height: number): Promise<Truth> => {
  const known = truths.get(height) ?? createNodeTruth(stage).readAt(height);
  truths.set(height, known);
  return known;
};

beforeAll(async () => {
  clock = replaceClock();
  hurryJobs();
  stage = await startOddStage();
  test = await createTestDatabase();
  story = createOddStory(stage, seed);
  for (let act = 0; act < acts; act += 1) {
    const height = await story.tellAct();
    indexing ??= await indexUntilHead(stage.config, test.url);
    service ??= await serveChains([stage.config], test.database);
    await until("Following the chain", () => isIndexed(test.database, stage.config.id, height));
    const [truth, allowances] = [await truthAt(height), await createNodeTruth(stage).allowancesAt(height)];
    settled.push(await settle(height, () => judgeAt(on(), truth, stage.tokens, "head", allowances)));
  }
  const heights = settled.map(({ height }) => height);
  history = await settle(Math.max(...heights), () => judgeHeights(heights, stage.tokens));
}, 1_500_000);
afterAll(async () => {
  await service?.stop();
  await indexing?.stop();
  await stage?.stop();
  await test?.drop();
  clock?.restore();
});

/** Fails with all differences as a table. */
const expectNone = (differences: readonly Difference[]): void => {
  if (differences.length > 0) expect.fail(`${differences.length} differences\n${renderDifferences(differences)}`);
};

describe("tokens that keep to ERC-20 in their own way", () => {
  it("were used: each step that only one kind has succeeded, but for those that it is there to refuse", () => {
    const never = [...story.deeds].filter(([, { isOwn, succeeded }]) => isOwn && succeeded === 0).map(([name]) => name);
    expect(never.sort()).toEqual(["NoZeroApproval: revokeNothing", "NoZeroTransfer: moveNothing", "Uint96: moveTooMuch"]);
    const deeds = [...story.deeds.values()];
    const count = (of: "succeeded" | "failed") => deeds.reduce((sum, deed) => sum + deed[of], 0);
    stdout.write(`${stage.tokens.length} contracts, ${count("succeeded")} calls that succeeded and ${count("failed")} that failed.\n`);
    expect(stage.tokens.length).toBeGreaterThanOrEqual(40);
    expect(count("succeeded")).toBeGreaterThan(1_500);
  });

  it("have the balances, holders, supplies and allowances of their contracts at the head, after each act, once they are settled", () => {
    for (const { height, compared, progress } of settled)
      stdout.write(`Block ${height}, ${compared} compared: ${progress.join(", ")} differ.\n`);
    expectNone(settled.flatMap(({ differences }) => differences));
  });

  it("have the balances, holders and supplies of their contracts at the end of each act, asked for later", () => {
    stdout.write(`All five, ${history.compared} compared: ${history.progress.join(", ")} differ.\n`);
    expectNone(history.differences);
  });

  it("have them in the middle of each act, where nothing changes without a Transfer", async () => {
    const tokens = stage.tokens.filter(({ kind }) => kind.isSilent !== true);
    const heights = settled.map(({ height }) => height - 15);
    const { differences } = await judgeHeights(heights, tokens);
    expectNone(differences);
  });

  it("leave nothing for an audit to find", async () => {
    const { code, output } = await runAudit(stage.folder, test.url);
    expect(code, output).toBe(0);
  });
});
