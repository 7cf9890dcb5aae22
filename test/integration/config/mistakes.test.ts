import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type ConfigOverrides, loadConfig } from "../../../runtime/config/load-config.ts";
import { evmChains } from "../../support/evm-chains.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashlar-mistakes-"));
  return () => rm(folder, { recursive: true });
});

/** The error message for a configuration, by line. */
async function errorsOf(text: string, overrides: ConfigOverrides = {}): Promise<string[]> {
  const file = join(folder, "ashlar.yaml");
  await writeFile(file, text);
  try {
    loadConfig(file, {}, overrides);
    return [];
  } catch (error) {
    return (error as Error).message.replaceAll(`${folder}/`, "").split("\n");
  }
}

describe("an unknown setting", () => {
  it("is reported with its line, its column and the most similar setting", async () => {
    expect(await errorsOf("port: 1\nlogLevl: error\n")).toEqual(["ashlar.yaml:2:1: Unknown setting logLevl: did you mean logLevel?"]);
    expect(await errorsOf("chains:\n  - name: one\n    nativTokn: { name: A, symbol: A }\n")).toEqual([
      "ashlar.yaml:3:5: Unknown setting chains.0.nativTokn: did you mean nativeToken?",
    ]);
    expect(await errorsOf('chains:\n  - name: one\n    nfts: { ipfsGateway: ["https://a.example"] }\n')).toEqual([
      "ashlar.yaml:3:13: Unknown setting chains.0.nfts.ipfsGateway: did you mean ipfsGateways?",
    ]);
    expect(await errorsOf("limits:\n  requestPerSecond: 7\n")).toEqual([
      "ashlar.yaml:2:3: Unknown setting limits.requestPerSecond: did you mean requestsPerSecond?",
    ]);
  });

  it("is reported with its section's settings if none is similar", async () => {
    const [error] = await errorsOf("chains:\n  - name: one\n    nativeToken: { name: A, symbol: A, cheese: 1 }\n");
    expect(error).toBe("ashlar.yaml:3:40: Unknown setting chains.0.nativeToken.cheese: expected one of name, symbol, decimals, logoUrl.");
  });

  it("is reported at its location in the file if --chain selects its chain", async () => {
    const text = "chains:\n  - name: one\n  - name: two\n    nativTokn: {}\n";
    expect(await errorsOf(text, { chain: "two" })).toEqual([
      "ashlar.yaml:4:5: Unknown setting chains.1.nativTokn: did you mean nativeToken?",
    ]);
  });
});

describe("an invalid or missing value", () => {
  it("is reported with its line and column", async () => {
    expect(await errorsOf("chains:\n  - name: one\n    from: -1\n")).toEqual([
      "ashlar.yaml:3:11: Invalid value -1 for chains.0.from: expected an integer of at least 0.",
    ]);
  });

  it("is reported at the start of its section if the value is missing", async () => {
    expect(await errorsOf("port: 1\nchains:\n  - rpc: http://127.0.0.1:1\n")).toEqual([
      expect.stringMatching(/^ashlar\.yaml:3:5: Missing setting chains\.0\.name: /),
    ]);
  });
});

describe("an address without quotes", () => {
  // YAML 1.2, 10.3.2 (core schema): 0x followed by hex digits is a number.
  const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

  it("is rejected with the quoted form in every setting that accepts an address", async () => {
    expect(await errorsOf(`chains:\n  - name: one\n    wrappedNative: [${weth}]\n`)).toEqual([
      `ashlar.yaml:3:21: Invalid value for chains.0.wrappedNative.0: an address without quotes is a number in YAML; quote it: "${weth}"`,
    ]);
    expect(
      await errorsOf(`chains:\n  - name: one\n    prices:\n      feeds:\n        - of: ${weth}\n          aggregators: ["${weth}"]\n`),
    ).toEqual([
      `ashlar.yaml:5:15: Invalid value for chains.0.prices.feeds.0.of: an address without quotes is a number in YAML; quote it: "${weth}"`,
    ]);
  });
});

describe("a key in an address map", () => {
  const weth = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";

  it("is rejected with the quoted form if it is an address without quotes", async () => {
    expect(await errorsOf(`chains:\n  - name: one\n    tokenLogos:\n      ${weth}: https://a.example/logo.png\n`)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^ashlar\\.yaml:4:7: Invalid value for chains\\.0\\.tokenLogos\\..*: an address without quotes is a number in YAML; quote it: "${weth}"$`,
        ),
      ),
    ]);
  });

  it("is rejected with the expected format if it is not an address", async () => {
    expect(await errorsOf("chains:\n  - name: one\n    tokenLogos: { 0x12z: https://a.example/logo.png }\n")).toEqual([
      expect.stringMatching(
        /^ashlar\.yaml:3:19: Invalid name chains\.0\.tokenLogos\.0x12z: expected an address \(0x followed by 40 hex digits\)/,
      ),
    ]);
  });
});

describe("invalid YAML", () => {
  it("is reported once, with its position", async () => {
    const [error] = await errorsOf("port: [1\n");
    expect(error).toMatch(/^ashlar\.yaml:\d+:\d+: Invalid YAML: /);
    expect(error).not.toMatch(/at line/);
  });
});

describe("a node's URL without a scheme", () => {
  it("uses http for a node on this machine", async () => {
    const file = join(folder, "node.yaml");
    await writeFile(file, "chains:\n  - { name: one, rpc: localhost:8545 }\n");
    expect(loadConfig(file, {}).chains[0]?.rpc).toBe("http://localhost:8545");
    expect(loadConfig(undefined, {}, { chain: "one", rpc: "127.0.0.1:8545" }).chains[0]?.rpc).toBe("http://127.0.0.1:8545");
    expect(loadConfig(undefined, {}, { chain: "one", rpc: "[::1]:8545/key" }).chains[0]?.rpc).toBe("http://[::1]:8545/key");
  });

  it("is rejected for a node on another machine, because http would send a key in plain text", () => {
    expect(() => loadConfig(undefined, {}, { chain: "one", rpc: "node.example/key" })).toThrow(
      "Invalid value for --rpc: expected an http:// or https:// URL, such as http://localhost:8545",
    );
  });
});

describe("a chain without a preset", () => {
  const groupsOf = (...args: Parameters<typeof loadConfig>) => evmChains(loadConfig(...args))[0]?.groups;

  it("serves past balances unless configured otherwise", async () => {
    const file = join(folder, "groups.yaml");
    expect(groupsOf(undefined, {}, { chain: "my-chain", rpc: "http://127.0.0.1:1" })).toEqual(["historical"]);
    await writeFile(file, "chains:\n  - { name: my-chain, groups: [] }\n");
    expect(groupsOf(file, {})).toEqual([]);
    expect(groupsOf(undefined, {}, { chain: "base-mainnet", rpc: "http://127.0.0.1:1" })).toEqual([]);
  });
});

describe("requests per second", () => {
  it("are limited to 500 per key by default, and can be configured or unlimited", async () => {
    const limitsOf = async (text: string) => {
      const file = join(folder, "limits.yaml");
      await writeFile(file, text);
      const { requestsPerSecond, burstRequests } = loadConfig(file, {}).limits;
      return [requestsPerSecond, burstRequests];
    };
    expect(await limitsOf("")).toEqual([500, undefined]);
    expect(await limitsOf("limits: { requestsPerSecond: unlimited }")).toEqual(["unlimited", undefined]);
    expect(await limitsOf("limits: { requestsPerSecond: 0.5, burstRequests: 0 }")).toEqual([0.5, 0]);
  });
});
