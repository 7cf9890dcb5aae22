import { type Address, toHex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseCsv } from "../../support/csv.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import {
  type Comparison,
  createBalanceChecker,
  differences,
  fetchData,
  type ServedChain,
} from "../../support/edge-cases/compare-heights.ts";
import { type EdgeCaseChain, edgeCaseChainConfig, serveChains, spread, startEdgeCaseChain } from "../../support/edge-cases/deployment.ts";
import { lastTouches, sumOfEvents } from "../../support/edge-cases/participants.ts";
import type { StoryToken } from "../../support/edge-cases/story-coins.ts";
import { metadataCases } from "../../support/edge-cases/story-names.ts";
import { type RpcProxy, startRpcProxy } from "../../support/rpc-proxy.ts";
import { indexUntilHead } from "../../support/service.ts";
import { until } from "../../support/until.ts";

/**
 * Chains of other forks and other wrapped coins in one database, every oddity told on each of them. One is indexed from its genesis; the other from the middle of
 * its story, where every token has moved before and what was had then is asked of the node.
 */
const chains = [
  { name: "prague", id: 31337, fork: "prague", late: false },
  { name: "london", id: 31338, fork: "london", late: true },
] as const;
const heightsCompared = 14;
/** A balance that events do not tell is compared, confirmed and read within this time. */
const reconciliationMilliseconds = 120_000;

let test: TestDatabase;
let odd: EdgeCaseChain[];
let service: Awaited<ReturnType<typeof serveChains>>;
const indexing: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  [test, odd] = await Promise.all([createTestDatabase(), Promise.all(chains.map(({ id, fork }) => startEdgeCaseChain(id, fork)))]);
  const configs = chains.map(({ name, late }, position) => {
    const chain = odd[position] as EdgeCaseChain;
    return edgeCaseChainConfig(chain, name, { from: late ? chain.story.middle : 0 });
  });
  indexing.push(...(await Promise.all(configs.map((config) => indexUntilHead(config, test.url)))));
  service = await serveChains(configs, test.database);
});
afterAll(async () => {
  await service?.stop();
  await Promise.all(indexing.map((running) => running.stop()));
  await Promise.all((odd ?? []).map((chain) => chain.stop()));
  await test?.drop();
});

const checkerOf = (id: number, served: ServedChain, isWanted: (token: StoryToken) => boolean) => {
  const { chain, story, participants } = odd.find((candidate) => candidate.id === id) as EdgeCaseChain;
  const tokens = story.tokens.filter(isWanted);
  return { chain, story, participants, tokens, checker: createBalanceChecker(chain, served, tokens, story.ids, participants) };
};

const keyOf = ({ token, owner, id }: Comparison): string => `${token} ${id} ${owner}`;
/** EIP-1155 has no call that tells how many are had of all ids: where they are not all indexed, or no word holds their sum, that is not known. */
const isNumberOfUnits = ({ token }: Comparison): boolean => token === "number of editions";
/** Nor is how many tokens of a collection were had before a late start, where its `balanceOf` tells coins: EIP-721 and EIP-20 have one function of the name. */
const mayBeUnknown = (comparison: Comparison, late: boolean): boolean =>
  isNumberOfUnits(comparison) || (late && comparison.token === "number of hybrid's art");

/** What a late start could see: keys whose balance has changed since. */
const changedSince = (compared: readonly Comparison[], before: readonly Comparison[]): Comparison[] => {
  const then = new Map(before.map((comparison) => [keyOf(comparison), comparison.node ?? 0n]));
  const changed = new Set(compared.filter((comparison) => (comparison.node ?? 0n) !== then.get(keyOf(comparison))).map(keyOf));
  return compared.filter((comparison) => changed.has(keyOf(comparison)));
};

describe.each(chains)("the chain of $fork's rules", ({ name, id, late }) => {
  const on = (): ServedChain => ({ ...service, name });
  const first = (): number => (late ? checkerOf(id, on(), () => true).story.middle : 0);

  it("has every balance at many heights", async () => {
    const { checker, story } = checkerOf(id, on(), ({ balanceSource }) => balanceSource === "events");
    const heights = spread(first(), story.head, heightsCompared);
    const all: Comparison[] = [];
    for (const height of heights) all.push(...(await checker.at(height)));
    const compared = late ? changedSince(all, await checker.nodeAt(first() - 1)) : all;
    const judged = compared.filter((comparison) => comparison.served !== null || !mayBeUnknown(comparison, late));
    expect(differences(judged)).toEqual([]);
    // A balance that is read from the contract would hide what events are summed to.
    expect(judged.filter(({ source }) => source === "node")).toEqual([]);
    expect(judged.filter(({ node }) => node !== null && node > 0n).length).toBeGreaterThan(600);
    const atHead = await checker.at(story.head, "head");
    const seen = late ? changedSince(atHead, await checker.nodeAt(first() - 1)) : atHead;
    expect(differences(seen.filter((comparison) => comparison.served !== null || !mayBeUnknown(comparison, late)))).toEqual([]);
  });

  it("has every native balance alone, at heights and at the head", async () => {
    const { checker, story } = checkerOf(id, on(), ({ balanceSource }) => balanceSource === "events");
    const compared: Comparison[] = [];
    for (const height of spread(first(), story.head, 5)) compared.push(...(await checker.nativeOnly(height)));
    expect(differences(late ? changedSince(compared, await checker.nodeAt(first() - 1)) : compared)).toEqual([]);
  });

  it("ranks the holders of coins at heights, and counts nobody who was sent nothing", async () => {
    const { checker, story, tokens } = checkerOf(id, on(), ({ balanceSource, kind, name: token }) => {
      // Coins that only show how to misname oneself have not moved since the late start.
      return balanceSource === "events" && kind === "erc20" && !(late && token in metadataCases);
    });
    for (const height of spread(first(), story.head, 4)) {
      for (const token of tokens) {
        const holders = await checker.holders(token, height);
        // Of an index that starts late, only those are known that moved the coin since.
        if (late) expect(holders.node, token.name).toEqual(expect.arrayContaining(holders.served));
        else expect(holders.served, `${token.name} at ${height}`).toEqual(holders.node);
      }
    }
  });

  it("tells the names, symbols and decimals that can be told, and a spreadsheet no formula", async () => {
    const { story } = checkerOf(id, on(), () => true);
    const named = story.tokens.filter((token) => token.name in metadataCases);
    const { alice } = story.accounts;
    for (const { address, name: naming } of late ? [] : named) {
      const { items } = await fetchData<{ items: readonly Record<string, unknown>[] }>(on(), `tokens/${address}/token_holders_v2/`);
      const { answers: _, ...expected } = metadataCases[naming] ?? { answers: [] };
      const { contract_name: returned, contract_ticker_symbol: symbol, contract_decimals: decimals } = items[0] ?? {};
      expect({ name: returned, symbol, decimals }, naming).toEqual(expected);
    }
    const response = await fetch(`${service.url}/v1/${name}/address/${alice}/balances_v2/?format=csv`, {
      headers: { authorization: `Bearer ${service.key}` },
    });
    const cells = parseCsv(await response.text()).flat();
    expect(cells.length).toBeGreaterThan(100);
    // What a spreadsheet takes for a formula (OWASP, "CSV Injection").
    expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
  });

  it("lists a transfer of nothing, which took nothing from the one who is named", async () => {
    const { story, tokens, chain } = checkerOf(id, on(), ({ name: token }) => token === "gold");
    const { victim } = story.accounts;
    interface Listed {
      readonly transfers: readonly { readonly delta: string; readonly transfer_type: string; readonly contract_address: Address }[];
    }
    const { items } = await fetchData<{ items: readonly Listed[] }>(
      on(),
      `address/${victim}/transfers_v2/?contract-address=${tokens[0]?.address}`,
    );
    const listed = items.flatMap(({ transfers }) => transfers);
    const fromBlock = toHex(first());
    const [transferTopic, word] = [transferEvent, `0x${victim.slice(2).padStart(64, "0")}`];
    const logs = (topics: readonly (string | null)[]) =>
      chain.rpc<readonly { readonly data: string }[]>("eth_getLogs", [
        { address: tokens[0]?.address, fromBlock, toBlock: "latest", topics },
      ]);
    const [sent, received] = [await logs([transferTopic, word]), await logs([transferTopic, null, word])];
    expect(listed.filter(({ transfer_type: type }) => type === "OUT").map(({ delta }) => BigInt(delta))).toEqual(sent.map(() => 0n));
    expect(
      listed
        .filter(({ transfer_type: type }) => type === "IN")
        .map(({ delta }) => BigInt(delta))
        .sort(),
    ).toEqual(received.map(({ data }) => BigInt(data)).sort());
    expect(sent.length).toBeGreaterThan(0);
  });

  it("says of tokens without code what their contracts said while they were there, or what they announced, or nothing", async () => {
    const { checker, story, tokens, chain } = checkerOf(id, on(), ({ balanceSource }) => balanceSource === "none");
    const compared: Comparison[] = [];
    for (const height of spread(first(), story.head, 8)) compared.push(...(await checker.at(height)));
    const announced = await sumOfEvents(chain, tokens);
    const allowed = ({ token, owner, node, served }: Comparison): boolean =>
      served === null || served === node || (node === null && (served === 0n || served === announced.get(`${token} ${owner}`)));
    const judged = compared.filter(({ token }) => token !== "native");
    expect(judged.filter((comparison) => !(late || allowed(comparison)))).toEqual([]);
    expect(judged.length).toBeGreaterThan(8);
  });
});

/** keccak256("Transfer(address,address,uint256)"), EIP-20. */
const transferEvent = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** An index that starts in the middle, of a node that has forgotten the state of all but its last blocks. */
describe("an index that starts late without old state", () => {
  const name = "pruned";
  const keptStates = 4;
  let own: TestDatabase;
  let proxy: RpcProxy;
  let serving: Awaited<ReturnType<typeof serveChains>>;
  let running: { stop(): Promise<void> } | undefined;

  beforeAll(async () => {
    const stage = odd[0] as EdgeCaseChain;
    own = await createTestDatabase();
    proxy = await startRpcProxy(stage.rpc);
    const oldest = stage.story.head - keptStates;
    proxy.tamper = (method, reply, params) => {
      if (!["eth_call", "eth_getBalance", "eth_getCode", "eth_getStorageAt"].includes(method)) return;
      const height = params.findLast((value) => typeof value === "string" && /^(0x[0-9a-f]{1,8}|earliest)$/.test(value));
      if (height === undefined || (height !== "earliest" && Number(height) >= oldest)) return;
      delete reply.result;
      reply.error = { code: -32_000, message: "missing trie node: state is not available" };
    };
    const config = edgeCaseChainConfig(stage, name, { from: stage.story.middle, rpc: proxy.url });
    running = await indexUntilHead(config, own.url);
    serving = await serveChains([config], own.database);
  });
  afterAll(async () => {
    await serving?.stop();
    await running?.stop();
    await proxy?.close();
    await own?.drop();
  });

  it("serves what the node says, or that it does not know", async () => {
    const { checker, story } = checkerOf(31337, { ...serving, name }, ({ balanceSource }) => balanceSource === "events");
    const all: Comparison[] = [];
    for (const height of spread(story.middle, story.head, heightsCompared)) all.push(...(await checker.at(height)));
    const compared = changedSince(all, await checker.nodeAt(story.middle - 1));
    expect(differences(compared.filter(({ served }) => served !== null))).toEqual([]);
    expect(compared.length).toBeGreaterThan(300);
    expect(proxy.counts.get("eth_call") ?? 0).toBeGreaterThan(0);
  });

  /** This needs balances that are settled by what the node says of its head. */
  it("has settled balances at all heights, once the head's are asked", async () => {
    const { checker, story } = checkerOf(31337, { ...serving, name }, ({ balanceSource }) => balanceSource === "events");
    const before = await checker.nodeAt(story.middle - 1);
    const at = async (height: number, asked: number | "head" = height): Promise<Comparison[]> =>
      (await checker.at(height, asked)).filter((comparison) => !mayBeUnknown(comparison, true));
    const unsettled = async (): Promise<number> => (await at(story.head, "head")).filter(({ served }) => served === null).length;
    await until("Settling", async () => (await unsettled()) === 0, reconciliationMilliseconds).catch(() => undefined);
    const all: Comparison[] = [];
    for (const height of spread(story.middle, story.head, heightsCompared)) all.push(...(await at(height)));
    expect(differences(changedSince(all, before))).toEqual([]);
  });

  it("says from which block on it knows anything", async () => {
    const { story } = odd[0] as EdgeCaseChain;
    for (const path of ["balances_v2/", "balances_native/", `historical_balances/?block-height=${story.head}`]) {
      const { indexed_from: from } = await fetchData<{ indexed_from: number }>(
        { ...serving, name },
        `address/${story.accounts.alice}/${path}`,
      );
      expect(from, path).toBe(story.middle);
    }
  });
});

/** These need balances that are compared with the node and settled by its word where events lie. */
describe.each(chains)("settled balances of coins whose events mislead, on the chain of $fork's rules", ({ name, id, late }) => {
  const on = (): ServedChain => ({ ...service, name });
  const misleading = () => checkerOf(id, on(), ({ balanceSource }) => balanceSource === "node");

  it("are served from the node's word at the head, once that is known", async () => {
    const { checker, story } = misleading();
    const wrong = async (): Promise<Comparison[]> => {
      const compared = (await checker.at(story.head, "head")).filter(({ token }) => token !== "native");
      return compared.filter(({ node, served, source }) => served !== node || (served !== 0n && source !== "node"));
    };
    await until("Settling", async () => (await wrong()).length === 0, reconciliationMilliseconds).catch(() => undefined);
    expect(await wrong()).toEqual([]);
  });

  it("are what the node said then at past heights, or not known, and never the sum of their events", async () => {
    const { checker, story, chain, tokens } = misleading();
    const touches = await lastTouches(chain, tokens);
    /** A balance that changed without an event is what it was when an event last touched it; before the first, it is not followed. */
    const isRight = async ({ token, owner, height, node, served }: Comparison): Promise<boolean> => {
      if (token === "native" || served === null || served === (node ?? 0n)) return true;
      const touched = touches(token, owner, height);
      if (touched === null || (late && touched < story.middle)) return served === 0n;
      return served === (await checker.balanceAt(token, owner, touched));
    };
    const wrong: Comparison[] = [];
    for (const height of spread(late ? story.middle : 0, story.head - 1, heightsCompared)) {
      for (const comparison of await checker.at(height)) if (!(await isRight(comparison))) wrong.push(comparison);
    }
    expect(wrong).toEqual([]);
  });

  it("have the holders that the node says", async () => {
    const { checker, story, tokens } = misleading();
    for (const token of tokens) {
      const { served, node } = await checker.holders(token, story.head);
      if (late) expect(node, token.name).toEqual(expect.arrayContaining(served));
      else expect(served, token.name).toEqual(node);
    }
  });
});
