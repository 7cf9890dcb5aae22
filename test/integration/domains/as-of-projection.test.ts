import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Demo } from "../../../demo/types.ts";
import { operations } from "../../../generated/operations.gen.ts";
import { projectionSubjects } from "../../../runtime/api/projection-reads.ts";
import { projections } from "../../../runtime/projections.ts";
import { exampleOf, targetOf } from "../../support/contract/examples.ts";
import { storyEndTime } from "../../support/story.ts";
import { openTwoIndexes, type TestApi, type TestResponse, type TwoIndexes } from "./as-of-projection/two-indexes.ts";

// The demo's short story is indexed twice: up to its head, and up to the checkpoint of a projection that is being rebuilt. During the rebuild, every
// live operation responds like one of the two indexes (the first if the operation does not read the projection), or with 503.
/** Without community endpoints: this index has no tables of declared protocols. */
const live = operations.filter(({ status, class: group }) => status === "live" && group !== "C");
/** Operations that report the progress of the index. */
const progressOperations: ReadonlySet<string> = new Set(["getAllChainStatus", "getHealthData"]);
/** Options that make an operation read more than its example does. */
const options: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  getTokenBalancesForWalletAddress: { nft: "true" },
  getHistoricalTokenBalancesForWalletAddress: { nft: "true" },
  getTransactionSummary: { "with-gas": "true" },
};

let indexes: TwoIndexes;
let demo: Demo;
let middle: number;
let head: number;
beforeAll(async () => {
  indexes = await openTwoIndexes();
  ({ demo, middle, head } = indexes);
});
afterAll(() => indexes?.end());

/** Returns an operation's requests: its documented example, and one with the options that make it read more. */
const targetsOf = (operation: (typeof live)[number]): string[] => {
  const example = exampleOf(operation, demo.story.values);
  const extraOptions = options[operation.id];
  return [targetOf(operation, example), ...(extraOptions === undefined ? [] : [targetOf(operation, { ...example, ...extraOptions })])];
};
const allTargets = () =>
  live
    .filter(({ id }) => !progressOperations.has(id))
    .flatMap((operation) => targetsOf(operation).map((target) => ({ operation, target })));

/** Removes contract labels and standards, which are read as of the checkpoint even in responses that read nothing else from a projection. */
const withoutLabels = (text: string): string =>
  text.replace(/"(?:\w+_label|supports_erc|sender_factory_address)":(?:"[^"]*"|\[[^\]]*\]|\w+)/g, "");

describe("a projection that is being rebuilt", () => {
  const ids = Object.keys(projectionSubjects);
  let atHead: TestApi;
  let atMiddle: TestApi;
  const catchUp: TwoIndexes["catchUp"] = (...parameters) => indexes.catchUp(...parameters);
  const responses = new Map<string, { readonly full: TestResponse; readonly partial: TestResponse }>();
  beforeAll(async () => {
    [atHead, atMiddle] = await Promise.all([indexes.serveFull(), indexes.servePartial()]);
    for (const { target } of allTargets()) {
      responses.set(target, { full: await atHead.request(target), partial: await atMiddle.request(target) });
    }
  });
  afterAll(() => Promise.all([atHead?.end(), atMiddle?.end()]));

  it("is compared with two indexes whose responses differ", () => {
    const differing = [...responses.values()].filter(({ full, partial: part }) => full.text !== part.text);
    // This test fetches no metadata documents, so the collections have no traits.
    expect([...responses].filter(([target, { full }]) => full.status !== 200 && !target.includes("/traits/"))).toEqual([]);
    expect(differing.length).toBeGreaterThan(25);
    expect(ids.filter((id) => !projections.some((projection) => projection.id === id))).toEqual([]);
  });

  it.each([...ids.map((id) => [id]), ids])(
    "lets every live operation respond as of the checkpoint, as if there were no rebuild, or with 503 (%s)",
    async (...rebuilt) => {
      await catchUp(rebuilt, middle, { fromStart: true });
      const deviations: string[] = [];
      const counts = { refused: 0, capped: 0 };
      for (const { operation, target } of allTargets()) {
        const response = await atHead.request(target);
        const recorded = responses.get(target);
        if (recorded === undefined) throw new Error(`No response was recorded for ${target}`);
        if (response.status === 503) {
          counts.refused += 1;
          expect(response.message, target).toMatch(
            new RegExp(`^[A-Z].* are being rebuilt: at block ${middle} of ${head}\\. Retry later\\.$`),
          );
          expect(response.retryAfter, target).toBe("30");
        } else if (response.text === recorded.partial.text && recorded.partial.text !== recorded.full.text) counts.capped += 1;
        else if (response.status !== recorded.full.status || withoutLabels(response.text) !== withoutLabels(recorded.full.text))
          deviations.push(`${operation.id} ${target}`);
      }
      expect(deviations).toEqual([]);
      expect(counts.refused + counts.capped).toBeGreaterThan(0);
      await catchUp(rebuilt, head, { fromStart: false });
    },
  );

  it("keeps a list's pages pinned to the first page's block while it catches up", async () => {
    const paged = live.filter(({ style }) => style === "page" || style === "path-page");
    const pageOf = (operation: (typeof live)[number], number: number) => {
      const values = exampleOf(operation, demo.story.values);
      const page: Record<string, string> = operation.style === "page" ? { "page-number": String(number) } : { page: String(number) };
      return targetOf(operation, { ...values, "page-size": operation.id === "getTokenHolders" ? "100" : "1", ...page });
    };
    await catchUp(ids, middle, { fromStart: true });
    const started: (typeof live)[number][] = [];
    for (const operation of paged) {
      const [first, expected] = [await atHead.request(pageOf(operation, 0)), await atMiddle.request(pageOf(operation, 0))];
      if (first.status !== 200 || !first.hasMore || first.text !== expected.text) continue;
      started.push(operation);
    }
    expect(started.length).toBeGreaterThan(5);
    await catchUp(ids, middle + 20, { fromStart: false });
    for (const operation of started) {
      expect((await atHead.request(pageOf(operation, 1))).text, operation.id).toBe((await atMiddle.request(pageOf(operation, 1))).text);
    }
    await catchUp(ids, head, { fromStart: false });
    for (const operation of started) {
      expect((await atHead.request(pageOf(operation, 1))).text, operation.id).toBe((await atMiddle.request(pageOf(operation, 1))).text);
    }
  });

  it("refuses pages of a list pinned above its checkpoint", async () => {
    const path = `/v1/${demo.chain.name}/address/${demo.story.values.trader}/transfers_v2/?page-size=1&page-number=`;
    expect((await atHead.request(`${path}0`)).hasMore).toBe(true);
    await catchUp(["tokens"], middle, { fromStart: true });
    expect(await atHead.request(`${path}1`)).toMatchObject({ status: 503 });
    await catchUp(["tokens"], head, { fromStart: false });
    expect((await atHead.request(`${path}1`)).status).toBe(200);
  });

  it("refuses blocks and days above its checkpoint, and all requests before its first block", async () => {
    const path = `/v1/${demo.chain.name}/address/${demo.story.values.trader}/historical_balances/`;
    const holders = `/v1/${demo.chain.name}/tokens/${demo.story.values.usdToken}/token_holders_v2/`;
    await catchUp(["tokens"], middle, { fromStart: true });
    expect(await atHead.request(`${path}?block-height=${middle + 1}`)).toMatchObject({ status: 503 });
    const transfers = `/v1/${demo.chain.name}/address/${demo.story.values.trader}/transfers_v2/`;
    for (const range of [`starting-block=${middle + 1}`, `ending-block=${middle + 1}`]) {
      expect(await atHead.request(`${transfers}?${range}`), range).toMatchObject({ status: 503 });
    }
    expect((await atHead.request(`${transfers}?ending-block=${middle}`)).text).toBe(
      (await atMiddle.request(`${transfers}?ending-block=${middle}`)).text,
    );
    const day = new Date(storyEndTime * 1000).toISOString().slice(0, 10);
    expect(await atHead.request(`${path}?date=${day}`)).toMatchObject({ status: 503 });
    expect((await atHead.request(`${path}?block-height=${middle}`)).text).toBe(
      (await atMiddle.request(`${path}?block-height=${middle}`)).text,
    );
    // A contract without transfers up to the checkpoint may have some above it.
    expect(await atHead.request(holders.replace(String(demo.story.values.usdToken), `0x${"12".repeat(20)}`))).toMatchObject({
      status: 503,
    });
    await catchUp(["tokens"], -1, { fromStart: true });
    expect(await atHead.request(path)).toMatchObject({
      status: 503,
      message: `Token balances are being rebuilt: no block up to ${head} is included yet. Retry later.`,
    });
    await catchUp(["tokens"], head, { fromStart: false });
  });

  it("refuses names instead of reporting them as unknown", async () => {
    const path = `/v1/${demo.chain.name}/address/nobody.eth/transactions_v3/`;
    expect((await atHead.request(path)).status).toBe(400);
    await catchUp(["names"], middle, { fromStart: true });
    expect(await atHead.request(path)).toMatchObject({
      status: 503,
      message: `Names are being rebuilt: at block ${middle} of ${head}. Retry later.`,
    });
    expect(await atHead.request("/v1/address/nobody.eth/activity/")).toMatchObject({ status: 503 });
    await catchUp(["names"], head, { fromStart: false });
    expect((await atHead.request(path)).status).toBe(400);
  });
});
