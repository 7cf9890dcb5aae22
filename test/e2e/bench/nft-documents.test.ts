import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeFunctionResult } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileAlmanac } from "../../../bench/nft/almanac.ts";
import { startCollectionNode } from "../../../bench/nft/read-documents.ts";
import { startTradeHistory } from "../../../bench/nft/trade-chain.ts";
import { encodeCall } from "../../support/chain.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashlar-bench-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the generated collection", () => {
  it("returns a document with twelve traits for each token", async () => {
    const chain = await startCollectionNode(130, join(folder, "almanac"));
    try {
      const artifact = compileAlmanac();
      for (const id of [0n, 129n]) {
        const data = await chain.rpc<`0x${string}`>("eth_call", [encodeCall(artifact, chain.collection, "tokenURI", [id]), "latest"]);
        const url = decodeFunctionResult({ abi: artifact.abi, functionName: "tokenURI", data }) as string;
        const [head, body = ""] = url.split(",");
        expect(head).toBe("data:application/json;base64");
        const document = JSON.parse(Buffer.from(body, "base64").toString()) as {
          name: string;
          attributes: { trait_type: string; value: unknown }[];
        };
        expect(document.name).toBe(`Leaf ${id}`);
        expect(document.attributes.length).toBe(12);
        expect(document.attributes.find(({ trait_type: name }) => name === "Serial")?.value).toBe(`No. ${id}`);
      }
      await expect(chain.rpc("eth_call", [encodeCall(artifact, chain.collection, "tokenURI", [130n]), "latest"])).rejects.toThrow();
    } finally {
      await chain.stop();
    }
  });
});

describe("the trade history", () => {
  it("has the reported numbers of transactions and sales", async () => {
    const chain = await startTradeHistory({ transactions: 60, blocks: 6 }, join(folder, "trade"));
    try {
      const head = await chain.head();
      const numbers = Array.from({ length: 6 }, (_, index) => `0x${(head - index).toString(16)}`);
      const minedBlocks = await chain.batch<{ transactions: unknown[] }>(
        numbers.map((number) => ({ method: "eth_getBlockByNumber", params: [number, false] })),
      );
      expect(minedBlocks.map(({ transactions }) => transactions.length)).toEqual([10, 10, 10, 10, 10, 10]);
      const topics = ["0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31"];
      const orders = await chain.rpc<unknown[]>("eth_getLogs", [{ fromBlock: "earliest", toBlock: "latest", topics }]);
      expect(orders.length).toBe(chain.saleCount);
      expect(chain.saleCount).toBeGreaterThan(5);
    } finally {
      await chain.stop();
    }
  });
});
