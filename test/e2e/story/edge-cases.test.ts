import type { Address } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseCsv } from "../../support/csv.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { createTokenChecker } from "../../support/edge-cases/check-tokens.ts";
import { type Comparison, compareAtEach, differences, fetchData, type ServedChain } from "../../support/edge-cases/compare-heights.ts";
import {
  type EdgeCaseChain,
  edgeCaseChainConfig,
  evenlySpacedHeights,
  serveChains,
  startEdgeCaseChain,
} from "../../support/edge-cases/deployment.ts";
import { changedSince, mayBeUnknown, pruneState } from "../../support/edge-cases/late-start.ts";
import { metadataCases } from "../../support/edge-cases/metadata-cases.ts";
import { lastTouches, sumOfEvents, transferValues } from "../../support/edge-cases/participants.ts";
import type { StoryToken } from "../../support/edge-cases/story-coins.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";
import { indexUntilHead } from "../../support/service.ts";
import { until } from "../../support/until.ts";

/**
 * Two chains with different forks in one database, each with all edge cases. One is indexed from its genesis, the other from the middle of its story:
 * its earlier balances are read from the node.
 */
const chains = [
  { name: "prague", id: 31337, fork: "prague", isLate: false },
  { name: "london", id: 31338, fork: "london", isLate: true },
] as const;
const comparedHeightCount = 14;
/** The maximum time until reconciliation has read balances that do not follow from events. */
const reconciliationMilliseconds = 120_000;

let testDatabase: TestDatabase;
let nodes: EdgeCaseChain[];
let service: Awaited<ReturnType<typeof serveChains>>;
const indexing: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  [testDatabase, nodes] = await Promise.all([
    createTestDatabase(),
    Promise.all(chains.map(({ id, fork }) => startEdgeCaseChain(id, fork))),
  ]);
  const configs = chains.map(({ name, isLate }, position) => {
    const chain = nodes[position] as EdgeCaseChain;
    return edgeCaseChainConfig(chain, name, { from: isLate ? chain.story.middle : 0 });
  });
  indexing.push(...(await Promise.all(configs.map((config) => indexUntilHead(config, testDatabase.url)))));
  service = await serveChains(configs, testDatabase.database);
});
afterAll(async () => {
  await service?.stop();
  await Promise.all(indexing.map((running) => running.stop()));
  await Promise.all((nodes ?? []).map((chain) => chain.stop()));
  await testDatabase?.drop();
});

const checkerOf = (id: number, served: ServedChain, isSelected: (token: StoryToken) => boolean) =>
  createTokenChecker(nodes.find((candidate) => candidate.id === id) as EdgeCaseChain, served, isSelected);

describe.each(chains)("the $fork chain", ({ name, id, isLate }) => {
  const servedChain = (): ServedChain => ({ ...service, name });
  const firstBlock = (): number => (isLate ? checkerOf(id, servedChain(), () => true).story.middle : 0);
  type Checker = ReturnType<typeof checkerOf>["checker"];
  /** Leaves out balances that have not changed since indexing started late. */
  const sinceStart = async (checker: Checker, all: readonly Comparison[]): Promise<readonly Comparison[]> =>
    isLate ? changedSince(all, await checker.nodeAt(firstBlock() - 1)) : all;
  const isKnown = (comparison: Comparison): boolean => comparison.served !== null || !mayBeUnknown(comparison, isLate);

  it("serves every balance at many heights", async () => {
    const { checker, story } = checkerOf(id, servedChain(), ({ balanceSource }) => balanceSource === "events");
    const all = await compareAtEach(evenlySpacedHeights(firstBlock(), story.head, comparedHeightCount), checker.at);
    const comparable = (await sinceStart(checker, all)).filter(isKnown);
    expect(differences(comparable)).toEqual([]);
    // Balances that are read from the contract would hide errors in event sums.
    expect(comparable.filter(({ source }) => source === "node")).toEqual([]);
    expect(comparable.filter(({ node }) => node !== null && node > 0n).length).toBeGreaterThan(600);
    const atHead = await sinceStart(checker, await checker.at(story.head, "head"));
    expect(differences(atHead.filter(isKnown))).toEqual([]);
  });

  it("serves every native balance in balances_native at several heights, including the head", async () => {
    const { checker, story } = checkerOf(id, servedChain(), ({ balanceSource }) => balanceSource === "events");
    const compared = await compareAtEach(evenlySpacedHeights(firstBlock(), story.head, 5), checker.nativeOnly);
    expect(differences(await sinceStart(checker, compared))).toEqual([]);
  });

  it("ranks coin holders at several heights, without recipients of zero amounts", async () => {
    const { checker, story, tokens } = checkerOf(id, servedChain(), ({ balanceSource, kind, name: token }) => {
      // The coins in the metadata cases have no transfers since the late start.
      return balanceSource === "events" && kind === "erc20" && !(isLate && token in metadataCases);
    });
    for (const height of evenlySpacedHeights(firstBlock(), story.head, 4)) {
      for (const token of tokens) {
        const holders = await checker.holders(token, height);
        // An index that starts late has only the holders with transfers since then.
        if (isLate) expect(holders.node, token.name).toEqual(expect.arrayContaining(holders.served));
        else expect(holders.served, `${token.name} at ${height}`).toEqual(holders.node);
      }
    }
  });

  it("serves valid names, symbols and decimals, and escapes formulas in CSV", async () => {
    const { story } = checkerOf(id, servedChain(), () => true);
    const named = story.tokens.filter((token) => token.name in metadataCases);
    const { alice } = story.accounts;
    for (const { address, name: metadataCase } of isLate ? [] : named) {
      const path = `tokens/${address}/token_holders_v2/`;
      const { items } = await fetchData<{ items: readonly Record<string, unknown>[] }>(servedChain(), path);
      const { results: _, ...expected } = metadataCases[metadataCase] ?? { results: [] };
      const { contract_name: returned, contract_ticker_symbol: symbol, contract_decimals: decimals } = items[0] ?? {};
      expect({ name: returned, symbol, decimals }, metadataCase).toEqual(expected);
    }
    const response = await fetch(`${service.url}/v1/${name}/address/${alice}/balances_v2/?format=csv`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const cells = parseCsv(await response.text()).flat();
    expect(cells.length).toBeGreaterThan(100);
    // The characters that start formulas (OWASP, "CSV Injection").
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
  });

  it("lists zero-amount transfers without a balance change", async () => {
    const { story, tokens, chain } = checkerOf(id, servedChain(), ({ name: token }) => token === "gold");
    const { victim } = story.accounts;
    interface Listed {
      readonly transfers: readonly { readonly delta: string; readonly transfer_type: string; readonly contract_address: Address }[];
    }
    const { items } = await fetchData<{ items: readonly Listed[] }>(
      servedChain(),
      `address/${victim}/transfers_v2/?contract-address=${tokens[0]?.address}`,
    );
    const listed = items.flatMap(({ transfers }) => transfers);
    const token = tokens[0]?.address as Address;
    const [sent, received] = await Promise.all([
      transferValues(chain, token, firstBlock(), { from: victim }),
      transferValues(chain, token, firstBlock(), { to: victim }),
    ]);
    const deltasOf = (type: string) => listed.filter((transfer) => transfer.transfer_type === type).map(({ delta }) => BigInt(delta));
    expect(deltasOf("OUT")).toEqual(sent.map(() => 0n));
    expect(deltasOf("IN").sort()).toEqual([...received].sort());
    expect(sent.length).toBeGreaterThan(0);
  });

  it("serves the last balances, the event sums, or null for destroyed tokens", async () => {
    const { checker, story, tokens, chain } = checkerOf(id, servedChain(), ({ balanceSource }) => balanceSource === "none");
    const compared = await compareAtEach(evenlySpacedHeights(firstBlock(), story.head, 8), checker.at);
    const eventSums = await sumOfEvents(chain, tokens);
    const isAllowed = ({ token, owner, node, served }: Comparison): boolean =>
      // An index that starts late adds the events since then to balances that it reads from the node.
      served === null || served === node || (node === null && (isLate || served === 0n || served === eventSums.get(`${token} ${owner}`)));
    const comparable = compared.filter(({ token }) => token !== "native");
    expect(comparable.filter((comparison) => !isAllowed(comparison))).toEqual([]);
    expect(comparable.length).toBeGreaterThan(8);
  });
});

/** An index that starts in the middle, with a node that has pruned all but its last blocks' state. */
describe("an index that starts late with a pruned node", () => {
  const name = "pruned";
  const availableStateCount = 4;
  let lateDatabase: TestDatabase;
  let proxy: RpcProxy;
  let serving: Awaited<ReturnType<typeof serveChains>>;
  let running: { stop(): Promise<void> } | undefined;

  beforeAll(async () => {
    const chain = nodes[0] as EdgeCaseChain;
    lateDatabase = await createTestDatabase();
    proxy = await startRpcProxy(chain.rpc);
    pruneState(proxy, chain.story.head - availableStateCount);
    const config = edgeCaseChainConfig(chain, name, { from: chain.story.middle, rpc: proxy.url });
    running = await indexUntilHead(config, lateDatabase.url);
    serving = await serveChains([config], lateDatabase.database);
  });
  afterAll(async () => {
    await serving?.stop();
    await running?.stop();
    await proxy?.close();
    await lateDatabase?.drop();
  });

  it("serves the node's balances or null", async () => {
    const { checker, story } = checkerOf(31337, { ...serving, name }, ({ balanceSource }) => balanceSource === "events");
    const all = await compareAtEach(evenlySpacedHeights(story.middle, story.head, comparedHeightCount), checker.at);
    const compared = changedSince(all, await checker.nodeAt(story.middle - 1));
    expect(differences(compared.filter(({ served }) => served !== null))).toEqual([]);
    expect(compared.length).toBeGreaterThan(300);
    expect(proxy.counts.get("eth_call") ?? 0).toBeGreaterThan(0);
  });

  it("serves balances at all heights once those at the head are reconciled", async () => {
    const { checker, story } = checkerOf(31337, { ...serving, name }, ({ balanceSource }) => balanceSource === "events");
    const before = await checker.nodeAt(story.middle - 1);
    const at = async (height: number, served: number | "head" = height): Promise<Comparison[]> =>
      (await checker.at(height, served)).filter((comparison) => !mayBeUnknown(comparison, true));
    const countUnknown = async (): Promise<number> => (await at(story.head, "head")).filter(({ served }) => served === null).length;
    await until("balances to be reconciled", async () => (await countUnknown()) === 0, reconciliationMilliseconds).catch(() => undefined);
    const all = await compareAtEach(evenlySpacedHeights(story.middle, story.head, comparedHeightCount), at);
    expect(differences(changedSince(all, before))).toEqual([]);
  });

  it("reports the first indexed block", async () => {
    const { story } = nodes[0] as EdgeCaseChain;
    for (const path of ["balances_v2/", "balances_native/", `historical_balances/?block-height=${story.head}`]) {
      const { indexed_from: from } = await fetchData<{ indexed_from: number }>(
        { ...serving, name },
        `address/${story.accounts.alice}/${path}`,
      );
      expect(from, path).toBe(story.middle);
    }
  });
});

describe.each(chains)("coins with misleading events on the $fork chain", ({ name, id, isLate }) => {
  const servedChain = (): ServedChain => ({ ...service, name });
  const misleading = () => checkerOf(id, servedChain(), ({ balanceSource }) => balanceSource === "node");

  it("are served with the node's balances at the head once reconciled", async () => {
    const { checker, story } = misleading();
    const findDifferences = async (): Promise<Comparison[]> => {
      const compared = (await checker.at(story.head, "head")).filter(({ token }) => token !== "native");
      return compared.filter(({ node, served, source }) => served !== node || (served !== 0n && source !== "node"));
    };
    await until("balances to be reconciled", async () => (await findDifferences()).length === 0, reconciliationMilliseconds).catch(
      () => undefined,
    );
    expect(await findDifferences()).toEqual([]);
  });

  it("are served at past heights with the node's balances or null, never with the sum of their events", async () => {
    const { checker, story, chain, tokens } = misleading();
    const touches = await lastTouches(chain, tokens);
    /** A balance that changed without an event is served as of the last event that named its owner, and as 0 before the first such event. */
    const isCorrect = async ({ token, owner, height, node, served }: Comparison): Promise<boolean> => {
      if (token === "native" || served === null || served === (node ?? 0n)) return true;
      const touched = touches(token, owner, height);
      if (touched === null || (isLate && touched < story.middle)) return served === 0n;
      return served === (await checker.balanceAt(token, owner, touched));
    };
    const incorrect: Comparison[] = [];
    for (const height of evenlySpacedHeights(isLate ? story.middle : 0, story.head - 1, comparedHeightCount)) {
      for (const comparison of await checker.at(height)) if (!(await isCorrect(comparison))) incorrect.push(comparison);
    }
    expect(incorrect).toEqual([]);
  });

  it("have the holders that their contracts report", async () => {
    const { checker, story, tokens } = misleading();
    for (const token of tokens) {
      const { served, node } = await checker.holders(token, story.head);
      if (isLate) expect(node, token.name).toEqual(expect.arrayContaining(served));
      else expect(served, token.name).toEqual(node);
    }
  });
});
