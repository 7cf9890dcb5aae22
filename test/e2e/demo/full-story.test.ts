import { type Abi, type AbiFunction, decodeFunctionResult, encodeFunctionData, multicall3Abi, parseAbiItem } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeClient, type NodeClient } from "../../../demo/node/client.ts";
import type { Demo } from "../../../demo/types.ts";
import type { Address, Hash, Hex } from "../../../runtime/lib/hex.ts";
import { type ChainContents, scanChain, topics } from "../../support/scan-chain.ts";
import { startStory, storyEndTime } from "../../support/story.ts";

const secondsPerDay = 86_400;

describe("the full story", () => {
  let demo: Demo;
  let client: NodeClient;
  let contents: ChainContents;
  const logs = (topic: Hash): number => contents.logs.get(topic) ?? 0;
  const storyValue = (name: string): Address => demo.story.values[name] as Address;
  const call = async <Result>(to: Address, signature: string, parameters: readonly unknown[] = []): Promise<Result> => {
    const abi: Abi = [parseAbiItem(signature) as AbiFunction];
    const data = encodeFunctionData({ abi, args: parameters });
    const result = await client.request<Hex>("eth_call", [{ to, data }, "latest"]);
    return decodeFunctionResult({ abi, data: result }) as Result;
  };
  const transactionsOf = async (address: Address): Promise<number> =>
    Number(await client.request<Hex>("eth_getTransactionCount", [address, "latest"]));

  beforeAll(async () => {
    demo = await startStory();
    client = createNodeClient(demo.rpcUrl);
    contents = await scanChain(demo.rpcUrl);
  });
  afterAll(async () => {
    await client?.close();
    await demo?.stop();
  });

  it("has at least 20,000 transactions by hundreds of senders over 60 days, up to the end time", () => {
    expect(contents.transactionCount).toBeGreaterThanOrEqual(20_000);
    expect(contents.senders.size).toBeGreaterThan(300);
    expect(contents.lastTime).toBe(storyEndTime);
    expect(contents.lastTime - contents.firstTime).toBe(60 * secondsPerDay);
  });

  it("includes failed transactions, all of them mined", async () => {
    expect(contents.failedTransactionCount).toBeGreaterThan(400);
    const receipt = await client.request<{ status: Hex }>("eth_getTransactionReceipt", [demo.story.values.failedTransaction]);
    expect(receipt.status).toBe("0x0");
    expect(await client.request("txpool_status")).toEqual({ pending: "0x0", queued: "0x0" });
  });

  it("has ten pairs and thousands of swaps, with liquidity added and removed", () => {
    expect(logs(topics.pairCreated)).toBe(10);
    expect(logs(topics.swap)).toBeGreaterThan(4_000);
    expect(logs(topics.mint)).toBeGreaterThan(100);
    expect(logs(topics.burn)).toBeGreaterThan(50);
  });

  it("has wraps, unwraps, approvals and transfers of every standard", () => {
    for (const topic of [
      topics.deposit,
      topics.withdrawal,
      topics.approval,
      topics.approvalForAll,
      topics.transferSingle,
      topics.transferBatch,
    ]) {
      expect(logs(topic), topic).toBeGreaterThan(50);
    }
    // Five collections, and the concentrated exchange's positions.
    expect(contents.erc721.size).toBe(6);
    expect(contents.erc1155.size).toBe(2);
    // The punks predate EIP-721: their contract emits ERC-20 transfers.
    expect([...contents.erc20.keys()].sort()).toEqual([...demo.story.inventory.tokens, storyValue("punks")].sort());
  });

  it("has a token with six decimals and one with a bytes32 name", async () => {
    expect(await call(storyValue("usdToken"), "function decimals() view returns (uint8)")).toBe(6);
    const name = await call<Hex>(storyValue("bytes32Token"), "function name() view returns (bytes32)");
    // "Old Coin" in ASCII, padded with zeros.
    expect(name).toBe(`0x4f6c6420436f696e${"00".repeat(24)}`);
  });

  it("has metadata with attributes on the chain", async () => {
    const parse = (uri: string): unknown => JSON.parse(Buffer.from(uri.replace("data:application/json;base64,", ""), "base64").toString());
    const art = await call<string>(storyValue("artCollection"), "function tokenURI(uint256) view returns (string)", [
      BigInt(demo.story.values.artTokenId ?? ""),
    ]);
    const edition = await call<string>(storyValue("editionsCollection"), "function uri(uint256) view returns (string)", [1n]);
    expect(parse(art)).toMatchObject({
      name: "Quarry Art #7",
      attributes: [{ trait_type: "Palette" }, { trait_type: "Shape" }, { trait_type: "Weight" }],
    });
    // Motif 1 and ink 1 in the contract's lists.
    expect(parse(edition)).toMatchObject({
      attributes: [
        { trait_type: "Motif", value: "Harbor" },
        { trait_type: "Ink", value: "Blue" },
      ],
    });
  });

  it("has a busy trader, a collector of both collections, and a newcomer with three transactions", async () => {
    expect(await transactionsOf(storyValue("trader"))).toBeGreaterThan(300);
    const balanceOf = "function balanceOf(address) view returns (uint256)";
    for (const token of ["usdToken", "goldToken", "wrappedNative", "bytes32Token", "artCollection"]) {
      expect(await call<bigint>(storyValue(token), balanceOf, [storyValue("trader")]), token).toBeGreaterThan(0n);
    }
    expect(await call<bigint>(storyValue("artCollection"), balanceOf, [storyValue("collector")])).toBeGreaterThan(0n);
    const editions = await call<bigint>(storyValue("editionsCollection"), "function balanceOf(address, uint256) view returns (uint256)", [
      storyValue("collector"),
      1n,
    ]);
    expect(editions).toBeGreaterThanOrEqual(5n);
    const owner = await call<Address>(storyValue("artCollection"), "function ownerOf(uint256) view returns (address)", [
      BigInt(demo.story.values.artTokenId ?? ""),
    ]);
    expect(owner.toLowerCase()).toBe(storyValue("collector"));
    // Two sent and one received.
    expect(await transactionsOf(storyValue("newcomer"))).toBe(2);
  });

  it("has internal transfers by calls, creations, self-destructs, reverted frames and DELEGATECALL", () => {
    for (const kind of ["call", "create", "suicide", "reverted", "delegatecall"])
      expect(contents.frames.get(kind) ?? 0, kind).toBeGreaterThan(20);
  });

  it("has swap values that refer to the same transaction in the middle of the story", async () => {
    const { swapTransaction, swapBlockHash, swapBlockHeight, swapDay, swapTimeBucket, firstDay, lastDay } = demo.story.values;
    const receipt = await client.request<{
      blockHash: Hash;
      blockNumber: Hex;
      from: Address;
      logs: { topics: Hash[]; address: Address }[];
    }>("eth_getTransactionReceipt", [swapTransaction]);
    expect(receipt.from).toBe(storyValue("trader"));
    expect(receipt.blockHash).toBe(swapBlockHash);
    expect(Number(receipt.blockNumber)).toBe(Number(swapBlockHeight));
    expect(receipt.logs.find((log) => log.topics[0] === topics.swap)?.address).toBe(storyValue("goldPair"));
    const block = await client.request<{ timestamp: Hex }>("eth_getBlockByNumber", [receipt.blockNumber, false]);
    expect(new Date(Number(block.timestamp) * 1000).toISOString().slice(0, 10)).toBe(swapDay);
    expect(Math.floor(Number(block.timestamp) / 900)).toBe(Number(swapTimeBucket));
    // 2025-10-31T12:00Z minus 60 days is 2025-09-01T12:00Z.
    expect([firstDay, lastDay]).toEqual(["2025-09-02", "2025-10-30"]);
  });

  it("has the genesis state and Multicall3", async () => {
    const treasury = demo.story.inventory.accounts[0];
    // A million ether.
    expect(await client.request("eth_getBalance", [treasury, "0x0"])).toBe(`0x${(10n ** 24n).toString(16)}`);
    expect(await client.request("eth_getBalance", [storyValue("trader"), "0x0"])).toBe("0x0");
    const data = encodeFunctionData({ abi: multicall3Abi, functionName: "aggregate3", args: [[]] });
    expect(await client.request<Hex>("eth_call", [{ to: demo.chain.multicall, data }, "latest"])).not.toBe("0x");
  });

  it("pays priority fees to a separate block producer", async () => {
    const { miner } = await client.request<{ miner: Address }>("eth_getBlockByNumber", ["latest", false]);
    expect(BigInt(await client.request<Hex>("eth_getBalance", [miner, "latest"]))).toBeGreaterThan(0n);
  });
});
