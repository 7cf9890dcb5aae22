import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Chains } from "@covalenthq/client-sdk";
import { type Chain, getAddress } from "viem";
import * as wellKnown from "viem/chains";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "../../../runtime/config/load-config.ts";
import { opStack } from "../../../runtime/config/op-stack.ts";
import { presets, withPreset } from "../../../runtime/config/presets/index.ts";
import { evmChains } from "../../support/evm-chains.ts";

const rpc = "http://127.0.0.1:1";
const chainOf = (name: string, overrides: { readonly chainId?: number } = {}) => {
  const [chain] = evmChains(loadConfig(undefined, {}, { chain: name, rpc, ...overrides }));
  if (chain === undefined) throw new Error(`loadConfig returned no chain for ${name}.`);
  return chain;
};
const viemChain = (id: number): Chain => {
  // Preset ids are unique in viem.
  const [definition] = Object.values(wellKnown as unknown as Record<string, Chain>).filter((chain) => chain.id === id);
  if (definition === undefined) throw new Error(`viem has no chain with the id ${id}.`);
  return definition;
};
const networks = presets.map((preset) => [preset.name, preset] as const);

describe("presets", () => {
  it("exist once for each supported mainnet and its testnet", () => {
    expect(presets.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
      [1, 56, 137, 8453, 42161, 10, 43114, 100, 11155111, 97, 80002, 84532, 421614, 11155420, 43113, 10200].sort((a, b) => a - b),
    );
    expect(new Set(presets.map(({ name }) => name)).size).toBe(presets.length);
  });

  it("have the client SDK's names, except for Polygon's testnet, which the SDK does not list", () => {
    const sdkNames: readonly string[] = Object.values(Chains);
    expect(presets.map(({ name }) => name).filter((name) => !sdkNames.includes(name))).toEqual(["polygon-amoy-testnet"]);
  });

  it("match the catalog's network groups", () => {
    const service = parse(readFileSync(new URL("../../../spec/service.yaml", import.meta.url), "utf8")) as {
      networkGroups: { historical: { chains: string[] } };
    };
    const members = presets.filter(({ groups }) => groups?.includes("historical")).map(({ name }) => name);
    expect(members.sort()).toEqual([...service.networkGroups.historical.chains].sort());
  });

  it.each(networks)("require only a name and a node (%s)", (name, preset) => {
    const chain = chainOf(name);
    const definition = viemChain(preset.id);
    expect(chain).toMatchObject({
      name,
      id: definition.id,
      rpc,
      isTestnet: definition.testnet === true,
      nativeToken: definition.nativeCurrency,
    });
    expect(chain.explorers.map(({ url }) => url)).toEqual([definition.blockExplorers?.default.url]);
    expect(chain.multicall).toBe(definition.contracts?.multicall3?.address.toLowerCase());
    expect(chain.finality).toBeGreaterThan(0);
  });

  it.each(networks)("cite the source of the wrapped native token's address (%s)", (name, { wrappedNative = [] }) => {
    expect(wrappedNative.length).toBeGreaterThan(0);
    for (const address of wrappedNative) expect(getAddress(address).toLowerCase()).toBe(address);
    const module = wrappedNative === opStack.wrappedNative ? "op-stack" : `presets/${name}`;
    const text = readFileSync(new URL(`../../../runtime/config/${module}.ts`, import.meta.url), "utf8");
    expect(text).toMatch(/^ {2}\/\/ .+\n {2}wrappedNative: /m);
  });

  it("use traces only on networks that follow Ethereum's rules", () => {
    expect(presets.filter(({ nativeAccounting }) => nativeAccounting === "traces").map(({ name }) => name)).toEqual([
      "eth-mainnet",
      "eth-sepolia",
    ]);
  });

  it.each(networks)("store no metadata unless configured to (%s)", (name) => {
    expect(chainOf(name).nfts.metadata).toBe("uncached");
    const nftsOf = (nfts: object) => withPreset({ name, nfts }).nfts;
    expect(nftsOf({ fetchesAtOnce: 4 })).toMatchObject({ metadata: "uncached", fetchesAtOnce: 4 });
    expect(nftsOf({ metadata: "cached" })).toMatchObject({ metadata: "cached" });
  });

  it("are defaults for --chain and --rpc", () => {
    expect(chainOf("gnosis-mainnet")).toMatchObject({ id: 100, nativeAccounting: "state", from: 0 });
    expect(chainOf("my-chain")).toMatchObject({ nativeAccounting: "state", systemAccounts: [], groups: ["historical"] });
    expect(chainOf("my-chain").id).toBeUndefined();
  });

  it("are defaults for the chains in a file", () => {
    const directory = mkdtempSync(join(tmpdir(), "ashlar-presets-"));
    try {
      const file = join(directory, "ashlar.yaml");
      writeFileSync(file, `chains: [{ name: base-mainnet, rpc: "${rpc}", label: Ours, nativeAccounting: none }, { name: mine, id: 7 }]`);
      const [base, mine] = evmChains(loadConfig(file, {}));
      expect(base).toMatchObject({
        id: 8453,
        label: "Ours",
        nativeAccounting: "none",
        nameRegistry: "0xb94704422c2a1e396835a571837aa5ae53285a95",
      });
      expect(mine).toMatchObject({ id: 7, nativeAccounting: "state", wrappedNative: [] });
      writeFileSync(file, "chains: [3]");
      expect(() => loadConfig(file, {})).toThrow("chains.0");
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it("do not apply to a chain with the same name and another id", () => {
    expect(chainOf("gnosis-mainnet", { chainId: 31337 })).toMatchObject({ id: 31337, nativeAccounting: "state", wrappedNative: [] });
  });
});

describe("preset exchanges", () => {
  const withExchanges = networks.filter(([, { exchanges }]) => exchanges !== undefined);

  it.each(withExchanges)("have valid addresses with a cited source (%s)", (name, { exchanges = [] }) => {
    for (const address of exchanges.flatMap(({ factory, routers = [] }) => [factory, ...routers]))
      expect(getAddress(address).toLowerCase()).toBe(address);
    const text = readFileSync(new URL(`../../../runtime/config/presets/${name}.ts`, import.meta.url), "utf8");
    expect(text).toMatch(/^ {2}\/\/ .+\n {2}exchanges: /m);
    // Pools with concentrated liquidity define their own fees.
    for (const { family, feePpm } of chainOf(name).exchanges) expect(feePpm === undefined).toBe(family === "concentrated");
  });
});

describe("preset stablecoins", () => {
  const withPrices = networks.filter(([, { prices }]) => prices !== undefined);

  it.each(withPrices)("have valid addresses with a cited source (%s)", (name, { prices }) => {
    for (const { token } of prices?.stablecoins ?? []) expect(getAddress(token).toLowerCase()).toBe(token);
    const text = readFileSync(new URL(`../../../runtime/config/presets/${name}.ts`, import.meta.url), "utf8");
    expect(text).toMatch(/^ {2}\/\/ .+\n {2}prices: /m);
  });

  it("remain if a feed is configured, and are replaced by configured stablecoins", () => {
    const directory = mkdtempSync(join(tmpdir(), "ashlar-presets-"));
    const file = join(directory, "ashlar.yaml");
    const pricesOf = (prices: string) => {
      writeFileSync(file, `chains: [{ name: avalanche-mainnet, rpc: "${rpc}", prices: ${prices} }]`);
      return evmChains(loadConfig(file, {}))[0]?.prices;
    };
    try {
      const feed = `{ of: native, aggregators: ["0x${"0".repeat(39)}1"] }`;
      expect(pricesOf(`{ feeds: [${feed}] }`)).toMatchObject({
        stablecoins: [{ currency: "USD" }, { currency: "USD" }],
        feeds: [{ of: "native" }],
      });
      expect(pricesOf("{ stablecoins: [] }")).toMatchObject({ stablecoins: [] });
      expect(() => pricesOf("3")).toThrow("prices");
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe("preset marketplaces", () => {
  const withNfts = networks.filter(([, { nfts }]) => nfts !== undefined);

  it.each(withNfts)("have valid addresses and unique names (%s)", (name) => {
    const { marketplaces } = chainOf(name).nfts;
    for (const { address } of marketplaces) expect(getAddress(address).toLowerCase()).toBe(address);
    expect(new Set(marketplaces.map((marketplace) => marketplace.name)).size).toBe(marketplaces.length);
  });

  it("remain if other settings are configured, and are replaced by configured marketplaces", () => {
    const directory = mkdtempSync(join(tmpdir(), "ashlar-presets-"));
    const file = join(directory, "ashlar.yaml");
    const marketplacesOf = (nfts: string) => {
      writeFileSync(file, `chains: [{ name: gnosis-mainnet, rpc: "${rpc}", nfts: ${nfts} }]`);
      return evmChains(loadConfig(file, {}))[0]?.nfts.marketplaces.length;
    };
    try {
      expect(marketplacesOf("{ fetchesAtOnce: 3 }")).toBe(4);
      expect(marketplacesOf("{ marketplaces: [] }")).toBe(0);
      expect(() => marketplacesOf("3")).toThrow("nfts");
      expect(chainOf("eth-mainnet").nfts.marketplaces.map(({ protocol }) => protocol)).toEqual([
        ...Array(4).fill("seaport"),
        "cryptopunks",
      ]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
