import { CovalentClient } from "@covalenthq/client-sdk";
import { describe, expect, it, test } from "vitest";
import { useApp } from "../support/app.ts";
import { callNode, logsOf, type NodeLog, storyValue, transferTopic } from "../support/story-node.ts";
import { all, chain, dataOf, isValidDate, useNpmClient } from "./npm-client.ts";

const app = await useApp();
const client = await useNpmClient();

/** The node's logs, newest first. */
async function nodeLogs(
  filter: { readonly address?: string; readonly topics?: readonly (string | null)[] },
  lastBlock: number,
): Promise<string[]> {
  const logs = await logsOf({ ...filter, toBlock: `0x${lastBlock.toString(16)}` });
  return logs.map(({ blockNumber, logIndex }) => `${Number(blockNumber)}:${Number(logIndex)}`).reverse();
}

const logKey = (log: { readonly block_height: number; readonly log_offset: number }): string => `${log.block_height}:${log.log_offset}`;

/** The indexed head; lists are compared with the node up to it. */
async function indexedHead(): Promise<number> {
  const { items } = await dataOf(client.BaseService.getBlock(chain, "latest"));
  return items[0]?.height ?? -1;
}

describe("the npm client's BaseService", () => {
  test("getBlock returns a block by height, and the latest block", async () => {
    const { items } = await dataOf(client.BaseService.getBlock(chain, storyValue("swapBlockHeight")));
    expect(items[0]?.block_hash).toBe(storyValue("swapBlockHash"));
    expect(isValidDate(items[0]?.signed_at)).toBe(true);
    expect(await indexedHead()).toBeGreaterThanOrEqual(Number(storyValue("swapBlockHeight")));
  });

  test("getBlockHeights iterates over all blocks in ascending order, each once", async () => {
    const [first, last] = [storyValue("firstDay"), storyValue("swapDay")];
    const { pagination } = await dataOf(client.BaseService.getBlockHeightsByPage(chain, first, last, { pageSize: 1000 }));
    const heights = (await all(client.BaseService.getBlockHeights(chain, first, last, { pageSize: 500 }))).map(({ height }) => height);
    const [start = 0] = heights;
    expect(heights).toEqual(heights.map((_height, index) => start + index));
    expect(heights.length).toBe(pagination.total_count);
    expect(heights).toContain(Number(storyValue("swapBlockHeight")));
  });

  test("getLogs returns the logs in a block range", async () => {
    const height = storyValue("swapBlockHeight");
    const { items } = await dataOf(client.BaseService.getLogs(chain, { startingBlock: Number(height), endingBlock: height }));
    const expected = await callNode<readonly NodeLog[]>("eth_getLogs", { blockHash: storyValue("swapBlockHash") });
    expect(items.map(logKey).sort()).toEqual(
      expected.map(({ blockNumber, logIndex }) => `${Number(blockNumber)}:${Number(logIndex)}`).sort(),
    );
  });

  test("getLogEventsByAddress iterates over the logs that the node returns for a contract, each once", async () => {
    const head = await indexedHead();
    const options = { startingBlock: 0, endingBlock: String(head), pageSize: 1000 };
    const { pagination } = await dataOf(client.BaseService.getLogEventsByAddressByPage(chain, storyValue("goldPair"), options));
    const keys = (await all(client.BaseService.getLogEventsByAddress(chain, storyValue("goldPair"), options))).map(logKey);
    expect(keys).toEqual(await nodeLogs({ address: storyValue("goldPair") }, head));
    expect([null, keys.length]).toContain(pagination.total_count);
  });

  test("getLogEventsByTopicHash iterates over the logs that the node returns for a topic, each once", async () => {
    const head = await indexedHead();
    const secondary = `0x${storyValue("trader").slice(2).padStart(64, "0")}`;
    const options = { startingBlock: 0, endingBlock: String(head), secondaryTopics: storyValue("trader"), pageSize: 300 };
    const { items } = await dataOf(client.BaseService.getLogEventsByTopicHashByPage(chain, transferTopic, { ...options, pageSize: 5 }));
    expect(items.length).toBe(5);
    const keys = (await all(client.BaseService.getLogEventsByTopicHash(chain, transferTopic, options))).map(logKey);
    // A secondary topic may be in any position after the first.
    const positions = [[secondary], [null, secondary], [null, null, secondary]];
    const expected = await Promise.all(positions.map((topics) => nodeLogs({ topics: [transferTopic, ...topics] }, head)));
    expect(keys.length).toBeGreaterThan(2 * options.pageSize);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(keys)).toEqual(new Set(expected.flat()));
  });

  test("getResolvedAddress resolves an address regardless of letter case", async () => {
    const { items } = await dataOf(client.BaseService.getResolvedAddress(chain, `0x${storyValue("trader").slice(2).toUpperCase()}`));
    // The demo chain has no name registry.
    expect(items).toEqual([{ address: storyValue("trader"), name: null }]);
  });

  test("getAllChains and getAllChainStatus return the chains and their indexing status", async () => {
    const { items: chains } = await dataOf(client.BaseService.getAllChains());
    expect(chains.map(({ name, chain_id: id }) => [name, id])).toContainEqual(["demo", "31337"]);
    const { items: statuses } = await dataOf(client.BaseService.getAllChainStatus());
    expect(statuses.map(({ name }) => name)).toContain("demo");
  });

  test.each(["erc20", "nativetokens", "uniswapv3"] as const)("getGasPrices returns gas prices for %s", async (kind) => {
    const prices = await dataOf(client.BaseService.getGasPrices(chain, kind));
    expect(prices.event_type).toBe(kind);
    expect(prices.base_fee).toBe(
      BigInt((await callNode<{ readonly baseFeePerGas: string }>("eth_getBlockByNumber", "latest", false)).baseFeePerGas),
    );
    expect(prices.items.length).toBe(3);
    for (const { gas_price: price } of prices.items) expect(BigInt(price) >= (prices.base_fee ?? 0n)).toBe(true);
  });

  test("getAddressActivity returns the chains on which an address is active", async () => {
    const { items } = await dataOf(client.BaseService.getAddressActivity(storyValue("trader"), { testnets: true }));
    expect(items.map(({ name }) => name)).toEqual(["demo"]);
    expect(isValidDate(items[0]?.last_seen_at)).toBe(true);
  });
});

describe("the npm client", () => {
  it("receives the error message for an invalid parameter", async () => {
    const response = await client.BaseService.getBlock(chain, "0x10");
    expect(response).toMatchObject({ data: null, error: true, error_code: 400, error_message: expect.stringContaining("blockHeight") });
  });

  it("accepts keys in the server's format, and rejects shorter ones itself", async () => {
    expect(app.key).toMatch(/^ckey_[a-f0-9]{27}$/);
    const rejected = await new CovalentClient("ckey_0").BaseService.getAllChains();
    expect(rejected.error_code).toBe(401);
    const unknown = await new CovalentClient(`ckey_${"0".repeat(27)}`).BaseService.getBlock(chain, "latest");
    expect(unknown).toMatchObject({ error: true, error_code: 401, error_message: expect.stringMatching(/key/i) });
  });
});
