import { stdout } from "node:process";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { runAudit } from "../support/indexer-process.ts";
import { type Clock, replaceClock } from "../support/odd-tokens/clock.ts";
import { type Difference, judgeAt, renderDifferences, type Verdict } from "../support/odd-tokens/judge.ts";
import { createNodeTruth } from "../support/odd-tokens/node-truth.ts";
import { type OddStage, startOddStage } from "../support/odd-tokens/stage.ts";
import { acts, createOddStory, type OddStory } from "../support/odd-tokens/story.ts";
import type { ServedChain } from "../support/oddities/judge-heights.ts";
import { serveChains } from "../support/oddities/stage.ts";
import { indexUntilHead, isIndexed, until } from "../support/service.ts";

/**
 * Tokens that keep to ERC-20 in their own way (after what github.com/d-xo/weird-erc20 describes, and more), used at random over 150 blocks. The index follows; after
 * each of the five acts the chain stands still until all that is served equals what the contracts answer at that height. What is expected comes from the node alone.
 */
const seed = 20_250_711;
/** Everything together, in real time. */
const settlingMilliseconds = 240_000;
/** What only changes without any call or event is asked for again within an hour: if nothing improves for this long, part of that hour passes at once. */
const patienceMilliseconds = 25_000;
const hourMinutes = 60;
const stepMinutes = 10;

/** How long an act took to settle, and what still differed in the end. */
interface Settled extends Verdict {
  readonly height: number;
  readonly seconds: number;
  readonly minutesPassed: number;
}

let stage: OddStage;
let story: OddStory;
let test: TestDatabase;
let clock: Clock;
let indexing: { stop(): Promise<void> } | undefined;
let service: Awaited<ReturnType<typeof serveChains>>;
const settled: Settled[] = [];

const on = (): ServedChain => ({ ...service, name: stage.config.name });

/** Waits until nothing that is served of the head differs, or the time for all acts is over. */
const settle = async (height: number, milliseconds: number): Promise<Settled> => {
  const truth = createNodeTruth(stage);
  const [atHead, allowances] = [await truth.readAt(height), await truth.allowancesAt(height)];
  const started = performance.now();
  let [minutesPassed, fewest, improved] = [0, Number.POSITIVE_INFINITY, started];
  for (;;) {
    const verdict = await judgeAt(on(), atHead, stage.tokens, "head", allowances);
    const now = performance.now();
    const result = { ...verdict, height, seconds: (now - started) / 1000, minutesPassed };
    if (verdict.differences.length === 0 || now - started > milliseconds) return result;
    if (verdict.differences.length < fewest) [fewest, improved] = [verdict.differences.length, now];
    else if (now - improved > patienceMilliseconds) {
      if (minutesPassed >= hourMinutes) return result;
      clock.pass(stepMinutes * 60_000);
      minutesPassed += stepMinutes;
      improved = now;
    }
    await wait(500);
  }
};

beforeAll(async () => {
  clock = replaceClock();
  stage = await startOddStage();
  test = await createTestDatabase();
  story = createOddStory(stage, seed);
  let left = settlingMilliseconds;
  for (let act = 0; act < acts; act += 1) {
    const height = await story.tellAct();
    indexing ??= await indexUntilHead(stage.config, test.url);
    service ??= await serveChains([stage.config], test.database);
    await until("Following the chain", () => isIndexed(test.database, stage.config.id, height));
    const result = await settle(height, left);
    left -= result.seconds * 1000;
    settled.push(result);
  }
}, 600_000);
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
    for (const { height, seconds, minutesPassed, compared, differences } of settled) {
      const outcome = `${compared} compared, ${differences.length} differ after ${seconds.toFixed(1)} s`;
      stdout.write(`Block ${height}: ${outcome}; ${minutesPassed} min were let pass.\n`);
    }
    expectNone(settled.flatMap(({ differences }) => differences));
  });

  it("have the balances, holders and supplies of their contracts at the end of each act, asked for later", async () => {
    const truth = createNodeTruth(stage);
    const differences: Difference[] = [];
    for (const { height } of settled)
      differences.push(...(await judgeAt(on(), await truth.readAt(height), stage.tokens, height)).differences);
    expectNone(differences);
  });

  it("have them in the middle of each act, where nothing changes without a Transfer", async () => {
    const truth = createNodeTruth(stage);
    const tokens = stage.tokens.filter(({ kind }) => kind.isSilent !== true);
    const differences: Difference[] = [];
    for (const { height } of settled)
      differences.push(...(await judgeAt(on(), await truth.readAt(height - 15), tokens, height - 15)).differences);
    expectNone(differences);
  });

  it("leave nothing for an audit to find", async () => {
    const { code, output } = await runAudit(stage.folder, test.url);
    expect(code, output).toBe(0);
  });
});
