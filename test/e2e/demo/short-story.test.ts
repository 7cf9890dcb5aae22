import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { loadArtifacts } from "../../../demo/contracts/artifacts.ts";
import { createNodeClient } from "../../../demo/node/client.ts";
import { startDemo } from "../../../demo/start-demo.ts";
import { readContract } from "../../../demo/story/read-contract.ts";
import { type Ownership, verifyCollections } from "../../../demo/story/verify-collections.ts";
import { verifyExchanges } from "../../../demo/story/verify-exchanges.ts";
import type { Demo, DemoOptions } from "../../../demo/types.ts";
import type { Address, Hash, Hex } from "../../../runtime/lib/hex.ts";
import { copyShortStory, shortScale as scale, storyEndTime } from "../../support/story.ts";

const addresses = (demo: Demo): string[] => Object.values(demo.story.values).filter((value) => /^0x[0-9a-f]{40}$/.test(value));

describe("a short story", () => {
  const cleanups: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  const folder = async (): Promise<string> => {
    const path = await mkdtemp(join(tmpdir(), "ashlar-demo-"));
    cleanups.push(() => rm(path, { recursive: true, force: true }));
    return path;
  };
  /** A folder with the saved story, for tests that continue from its end. */
  const folderWithStory = async (): Promise<string> => {
    const path = await folder();
    await copyShortStory(path);
    return path;
  };
  const start = async (dataDirectory: string, options: Partial<DemoOptions> = {}): Promise<Demo> => {
    const demo = await startDemo({ dataDirectory, scale, endTime: storyEndTime, ...options });
    cleanups.push(() => demo.stop().catch(() => undefined));
    return demo;
  };
  const request = async <Result>(demo: Demo, method: string, parameters: readonly unknown[] = []): Promise<Result> => {
    const client = createNodeClient(demo.rpcUrl);
    try {
      return await client.request<Result>(method, parameters);
    } finally {
      await client.close();
    }
  };
  const headHash = async (demo: Demo): Promise<Hash> =>
    (await request<{ hash: Hash }>(demo, "eth_getBlockByNumber", ["latest", false])).hash;

  it("has equal blocks for equal end times, and equal addresses for different end times", async () => {
    const first = await start(await folderWithStory());
    const second = await start(await folder());
    expect([first.origin, second.origin]).toEqual(["loaded", "built"]);
    const later = await start(await folder(), { endTime: storyEndTime + 100_000 });
    expect(await headHash(second)).toBe(await headHash(first));
    expect(second.story).toEqual(first.story);
    expect(second.bitcoin.hashAt(337)).toBe(first.bitcoin.hashAt(337));
    expect(later.bitcoin.hashAt(337)).not.toBe(first.bitcoin.hashAt(337));
    expect(await headHash(later)).not.toBe(await headHash(first));
    expect(addresses(later)).toEqual(addresses(first));
    // Twelve accounts, nine tokens, six collections, eight pairs, two pools and the concentrated-liquidity positions, three factories, three routers,
    // two feeds, a marketplace, two ERC-4626 vaults, a pool and two vaults with strategies, a token, a vault with two pools, two registries with two
    // markets each, two lending pools with two configurators and seven tokens, a registry, two pools and two tokens for stable swaps, and a Safe.
    expect(addresses(first)).toHaveLength(12 + 9 + 6 + 8 + 3 + 3 + 3 + 2 + 1 + 2 + 3 + 1 + 3 + 2 * 3 + (2 + 2 + 7) + 5 + 1);
  });

  it("continues from its saved state after a restart, including its last live block", async () => {
    const dataDirectory = await folder();
    const first = await start(dataDirectory);
    expect(first.origin).toBe("built");
    await first.mineLiveBlock();
    const [hash, story, bitcoinHash] = [await headHash(first), first.story, first.bitcoin.hashAt(337)];
    await first.stop();
    await expect(fetch(first.bitcoin.rpcUrl)).rejects.toThrow();
    const second = await start(dataDirectory, { endTime: undefined });
    expect(second.origin).toBe("loaded");
    expect(second.identity().lastBlockHash).toBe(hash);
    expect(await headHash(second)).toBe(hash);
    expect(second.story).toEqual(story);
    expect(second.bitcoin.hashAt(337)).toBe(bitcoinHash);
    await second.mineLiveBlock();
    expect(Number(await request(second, "eth_blockNumber"))).toBe(second.identity().lastBlock + 1);
  });

  it("is rebuilt when its state is discarded, its files are missing or unreadable, or a different end time is configured", async () => {
    const dataDirectory = await folderWithStory();
    const first = await start(dataDirectory);
    await first.discardState();
    const second = await start(dataDirectory);
    expect(second.origin).toBe("built");
    await second.stop();
    await rm(join(dataDirectory, "demo", second.identity().stateFile));
    const third = await start(dataDirectory);
    expect(third.origin).toBe("built");
    await third.stop();
    await writeFile(join(dataDirectory, "demo", third.identity().stateFile), gzipSync('{"block":'));
    const fourth = await start(dataDirectory);
    expect(fourth.origin).toBe("built");
    await fourth.stop();
    expect((await start(dataDirectory, { endTime: storyEndTime + 60 })).origin).toBe("built");
  });

  it("keeps its saved state if a start fails after loading it", async () => {
    const dataDirectory = await folderWithStory();
    const onProgress: DemoOptions["onProgress"] = (phase, done) => {
      if (phase === "load" && done === 1) throw new Error("stopped by the test");
    };
    await expect(start(dataDirectory, { onProgress })).rejects.toThrow("stopped by the test");
    expect((await start(dataDirectory)).origin).toBe("loaded");
  });

  it("continues to mint and sell plants after the story", async () => {
    const demo = await start(await folderWithStory());
    const { gardenCollection, seaport } = demo.story.values;
    const first = await request<Hex>(demo, "eth_blockNumber");
    for (let blocks = 0; blocks < 60; blocks++) await demo.mineLiveBlock();
    const logsOf = (address: string | undefined) =>
      request<readonly unknown[]>(demo, "eth_getLogs", [{ address, fromBlock: first, toBlock: "latest" }]);
    expect((await logsOf(gardenCollection)).length).toBeGreaterThan(0);
    expect((await logsOf(seaport)).length).toBeGreaterThan(0);
  });

  it("mines a block at each interval until it is stopped", async () => {
    const demo = await start(await folder());
    const before = Number(await request(demo, "eth_blockNumber"));
    const stop = new AbortController();
    const running = demo.keepMining(stop.signal, 0.05);
    while (Number(await request(demo, "eth_blockNumber")) < before + 20) await new Promise((resolve) => setTimeout(resolve, 50));
    stop.abort();
    await running;
    // The node keeps fewer states than it has mined blocks, but the genesis state, with a million ether, is restored.
    expect(await request(demo, "eth_getBalance", [demo.story.inventory.accounts[0], "0x0"])).toBe(`0x${(10n ** 24n).toString(16)}`);
    const after = Number(await request(demo, "eth_blockNumber"));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(Number(await request(demo, "eth_blockNumber"))).toBe(after);
    expect(await request(demo, "txpool_status")).toEqual({ pending: "0x0", queued: "0x0" });
  });

  it("continues to submit due feed answers after the story, one per block", async () => {
    const demo = await start(await folderWithStory());
    const { priceFeed } = loadArtifacts();
    const client = createNodeClient(demo.rpcUrl);
    try {
      const answerOf = (feed: string): Promise<readonly [bigint, bigint, bigint, bigint]> =>
        readContract(client, demo.story.values[feed] as Address, priceFeed.abi, "latestRoundData");
      const headTime = async () => BigInt((await client.request<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false])).timestamp);
      const [lastEther, lastEuro] = [await answerOf("etherFeed"), await answerOf("euroFeed")];
      // The story ended long ago, so both are due.
      await demo.mineLiveBlock();
      const ether = await answerOf("etherFeed");
      expect([ether[0], ether[3]]).toEqual([lastEther[0] + 1n, await headTime()]);
      await demo.mineLiveBlock();
      const euro = await answerOf("euroFeed");
      expect([euro[0], euro[3]]).toEqual([lastEuro[0] + 1n, await headTime()]);
      await demo.mineLiveBlock();
      expect([(await answerOf("etherFeed"))[0], (await answerOf("euroFeed"))[0]]).toEqual([ether[0], euro[0]]);
      // The change is within the feed's deviation of half a percent and the pool's deviation from the market.
      expect(Math.abs(Number(ether[1]) / Number(lastEther[1]) - 1)).toBeLessThan(0.1);
    } finally {
      await client.close();
    }
  });

  it("fails its verification if its exchanges differ from the expected state", async () => {
    const demo = await start(await folderWithStory());
    const artifacts = loadArtifacts();
    const client = createNodeClient(demo.rpcUrl);
    try {
      const verify = (changes: Readonly<Record<string, string>>, endTime = storyEndTime) =>
        verifyExchanges(client, artifacts, { ...demo.story.values, ...changes }, endTime);
      const { dollarPair = "", washPair = "", goldRange = "" } = demo.story.values;
      await expect(verify({})).resolves.toBeUndefined();
      await expect(verify({}, storyEndTime + 2 * 86_400)).rejects.toThrow("a feed's last answer is older than a day");
      await expect(verify({ washPair: dollarPair })).rejects.toThrow("the wash pool holds more than a tenth of the floor");
      await expect(verify({ ticketPair: washPair })).rejects.toThrow("ticketPair holds less than twice the floor");
      await expect(verify({ drainedPair: washPair })).rejects.toThrow("the drained pool has shares besides the locked ones");
      await expect(verify({ dollarRange: goldRange })).rejects.toThrow("the price in dollarRange differs from the ether feed");
    } finally {
      await client.close();
    }
  });

  it("fails its verification if its tokens' owners differ from the recorded ones", async () => {
    const demo = await start(await folderWithStory());
    const artifacts = loadArtifacts();
    const client = createNodeClient(demo.rpcUrl);
    try {
      const { gardenCollection, collector = "", trader = "", gardenTokenId = "" } = demo.story.values;
      const planted = await readContract<bigint>(client, gardenCollection as Address, artifacts.gardenCollection.abi, "planted");
      const verify = (owners: Partial<Ownership>) =>
        verifyCollections(client, artifacts, demo.story.values, { garden: new Map(), lanterns: new Map(), faces: new Map(), ...owners });
      const id = BigInt(gardenTokenId);
      await expect(verify({ garden: new Map([[id, trader as Address]]) })).rejects.toThrow(`owner of gardenCollection ${gardenTokenId} is`);
      await expect(verify({ garden: new Map([[id, null]]) })).rejects.toThrow(`owner of gardenCollection ${gardenTokenId} is`);
      await expect(verify({ garden: new Map([[id, collector as Address]]) })).rejects.toThrow(`has ${planted} tokens, expected 1`);
    } finally {
      await client.close();
    }
  });

  it("rejects a folder that another run uses", async () => {
    const dataDirectory = await folderWithStory();
    await start(dataDirectory);
    await expect(start(dataDirectory)).rejects.toThrow(`Process ${process.pid} already runs the demo in ${dataDirectory}`);
  });
});
