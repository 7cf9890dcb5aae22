import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type ChainConfig, chainConfigSchema } from "../../../../runtime/config/config.ts";
import type { NftKey } from "../../../../runtime/domains/nft/queries/tokens.ts";
import { createUncachedMetadata } from "../../../../runtime/domains/nft-metadata/queries/uncached.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../support/chain.ts";
import { type RpcProxy, startRpcProxy } from "../../../support/rpc-proxy.ts";
import { scaleTimeLimit } from "../../../support/scale-time-limit.ts";
import { compileSolidity } from "../../../support/solidity.ts";

/** A collection that returns the URL set for an id; tokenURI() reverts for other ids. */
const source = `
contract Collection {
  mapping(uint256 => string) uris;
  function set(uint256 id, string calldata text) external { uris[id] = text; }
  function tokenURI(uint256 id) external view returns (string memory) {
    require(bytes(uris[id]).length > 0, "unknown");
    return uris[id];
  }
  function uri(uint256) external view returns (string memory) { return uris[0]; }
}`;
const chainId = 31337;
let chain: TestChain;
let proxy: RpcProxy;
let collection: Address;
let gateway: ReturnType<typeof createServer>;
/** Milliseconds until the gateway responds. */
let gatewayDelay = 0;
const contentId = `Qm${"a".repeat(44)}`;

beforeAll(async () => {
  chain = await startTestChain();
  proxy = await startRpcProxy(chain.url);
  const { abi, bytecode } = compileSolidity(source)("Collection");
  collection = (await chain.deploy({ abi, bytecode })).toLowerCase() as Address;
  const uris: [bigint, string][] = [
    [0n, 'data:application/json,{"name":"Unit {id}","image":"https://units.example/{id}.png"}'],
    [1n, 'data:application/json,{"name":"One","attributes":[{"trait_type":"Size","value":7}]}'],
    [2n, "http://169.254.169.254/latest/meta-data/"],
    [3n, `ipfs://${contentId}/3.json`],
  ];
  for (let id = 10n; id < 50n; id += 1n) uris.push([id, `data:application/json,{"name":"No. ${id}"}`]);
  await chain.send(...uris.map((args) => ({ to: collection, data: encodeFunctionData({ abi, functionName: "set", args }) })));
  await chain.mine();
  gateway = createServer((_, response) => {
    setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end('{"name":"Remote"}'), gatewayDelay);
  });
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  gateway?.closeAllConnections();
  gateway?.close();
  await proxy?.close();
  await chain?.stop();
});
beforeEach(() => {
  gatewayDelay = 0;
  proxy.intercept = null;
  proxy.delay = null;
  proxy.counts.clear();
});

const configOf = (changes: object = {}, rpc: string | undefined = proxy.url): ChainConfig => {
  const gateways = [`http://127.0.0.1:${(gateway.address() as AddressInfo).port}`];
  const nfts = { metadata: "uncached", ipfsGateways: gateways, uncachedMilliseconds: 2_000, ...changes };
  const { rpc: _, ...parsed } = chainConfigSchema.parse({ name: "here", id: chainId, rpc: "http://127.0.0.1:1", nfts });
  return rpc === undefined ? parsed : { ...parsed, rpc };
};
const key = (id: number, standard: number = standards.erc721): NftKey => ({ token: collection, token_id: String(id), standard });
const withReader = async <T>(config: ChainConfig, work: (reader: ReturnType<typeof createUncachedMetadata>) => Promise<T>): Promise<T> => {
  const reader = createUncachedMetadata([config]);
  try {
    return await work(reader);
  } finally {
    await reader.close();
  }
};

describe("metadata that is read within a request", () => {
  it("is read from the contract and the document", async () => {
    const rows = await withReader(configOf(), (reader) => reader.read(chainId, [key(1), key(3)]));
    expect(rows).toMatchObject([
      {
        token: collection,
        token_id: "1",
        has_document: true,
        name: "One",
        attributes: [{ trait_type: "Size", value: "7" }],
        refusal: null,
      },
      { token_url: `ipfs://${contentId}/3.json`, name: "Remote" },
    ]);
  });

  it("has URLs with an EIP-1155 token's id substituted", async () => {
    const [row] = await withReader(configOf(), (reader) => reader.read(chainId, [key(255, standards.erc1155)]));
    const id = "ff".padStart(64, "0");
    expect(row).toMatchObject({ name: `Unit ${id}`, image: `https://units.example/${id}.png` });
  });

  it("is refused with a reason for each token", async () => {
    const rows = await withReader(configOf(), (reader) => reader.read(chainId, [key(2), key(9), key(1)]));
    expect(rows.map(({ token_url, has_document, refusal }) => [token_url, has_document, refusal])).toEqual([
      [
        "http://169.254.169.254/latest/meta-data/",
        false,
        "The metadata URL has the unsupported scheme http:; expected data:, https:, ipfs: or ar:.",
      ],
      [null, false, "The contract returns no metadata URL."],
      [expect.stringContaining("data:"), true, null],
    ]);
  });

  it("is limited to the first 25 tokens", async () => {
    const rows = await withReader(configOf(), (reader) =>
      reader.read(
        chainId,
        Array.from({ length: 40 }, (_, position) => key(10 + position)),
      ),
    );
    expect(rows.map(({ name }) => name)).toEqual(Array.from({ length: 25 }, (_, position) => `No. ${10 + position}`));
    expect(proxy.counts.get("eth_call")).toBe(25);
  });

  it("includes the documents that were read within the time limit", async () => {
    gatewayDelay = 5_000;
    const start = Date.now();
    const rows = await withReader(configOf({ uncachedMilliseconds: 500 }), (reader) => reader.read(chainId, [key(3), key(1)]));
    expect(Date.now() - start).toBeLessThan(scaleTimeLimit(2_500));
    expect(rows.map(({ name, refusal }) => [name, refusal])).toEqual([
      [null, "The metadata was not read within 500 ms."],
      ["One", null],
    ]);
  });

  it("is empty if the node is slow, fails, responds with invalid JSON or is not configured", async () => {
    const read = (config: ChainConfig) => withReader(config, (reader) => reader.read(chainId, [key(1)]));
    proxy.delay = () => 5_000;
    const start = Date.now();
    expect(await read(configOf({ uncachedMilliseconds: 300 }))).toEqual([]);
    expect(Date.now() - start).toBeLessThan(scaleTimeLimit(2_300));
    proxy.delay = null;
    for (const [status, text] of [
      [500, "no"],
      [200, "<html>"],
      [200, '{"jsonrpc":"2.0","id":1,"result":"0xzz"}'],
      [200, '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"missing trie node"}}'],
    ] as const) {
      proxy.intercept = (_, response) => {
        response.writeHead(status).end(text);
        return true;
      };
      expect(await read(configOf())).toEqual([]);
    }
    expect(await read(configOf({}, "http://127.0.0.1:1"))).toEqual([]);
    expect(await read(configOf({}, undefined))).toEqual([]);
  });

  it("is empty, without any request, on a network that caches metadata", async () => {
    expect(await withReader(configOf({ metadata: "cached" }), (reader) => reader.read(chainId, [key(1)]))).toEqual([]);
    expect(await withReader(configOf(), (reader) => reader.read(1, [key(1)]))).toEqual([]);
    expect(proxy.counts.size).toBe(0);
  });

  it("is empty immediately for a ninth request while eight are in progress", async () => {
    gatewayDelay = 700;
    await withReader(configOf(), async (reader) => {
      const reads = Array.from({ length: 8 }, () => reader.read(chainId, [key(3)]));
      const start = Date.now();
      expect(await reader.read(chainId, [key(1)])).toEqual([]);
      expect(Date.now() - start).toBeLessThan(scaleTimeLimit(100));
      expect((await Promise.all(reads)).flat().map(({ name }) => name)).toEqual(Array.from({ length: 8 }, () => "Remote"));
      await wait(20);
      expect(await reader.read(chainId, [key(1)])).toHaveLength(1);
    });
  });
});
