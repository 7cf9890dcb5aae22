import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../runtime/config/parse-config.ts";

/** Parses settings and returns the error messages. `origins` maps paths of settings that are not from the file to their variable or option. */
function errorsOf(settings: object, origins: Readonly<Record<string, string>> = {}): string[] {
  try {
    parseConfig(settings, { name: "ashlar.yaml", file: null, overriddenBy: new Map(Object.entries(origins)), selectedChainIndex: null });
    return [];
  } catch (error) {
    return (error as Error).message.split("\n");
  }
}

const chainWith = (settings: object) => ({ chains: [{ name: "one", ...settings }] });

describe("the message about an invalid setting", () => {
  it.each([
    [{ port: 70_000 }, "Invalid value 70000 for port: expected a port from 0 to 65535."],
    [{ logLevel: "loud" }, 'Invalid value "loud" for logLevel: expected debug, info, warn, error or silent.'],
    [{ host: 5 }, "Invalid value 5 for host: expected a string."],
    [{ publicUrl: "example" }, 'Invalid value "example" for publicUrl: expected an http:// or https:// URL.'],
    [{ chains: "one" }, 'Invalid value "one" for chains: expected a list.'],
    [{ chains: ["one"] }, 'Invalid value "one" for chains.0: expected a map of settings.'],
    [{ protocols: null }, "Invalid value null for protocols: expected a map."],
    [{ limits: { urlBytes: 0 } }, "Invalid value 0 for limits.urlBytes: expected an integer of at least 1."],
    [{ limits: { requestsPerSecond: -1 } }, "Invalid value -1 for limits.requestsPerSecond: expected a number above 0 or unlimited."],
    [chainWith({ from: 1.5 }), "Invalid value 1.5 for chains.0.from: expected an integer of at least 0."],
    [chainWith({ isTestnet: "no" }), 'Invalid value "no" for chains.0.isTestnet: expected true or false.'],
    [chainWith({ activePoolDays: 366 }), "Invalid value 366 for chains.0.activePoolDays: expected an integer from 1 to 365."],
    [chainWith({ category: "" }), 'Invalid value "" for chains.0.category: expected a string of 1 to 64 characters.'],
    [chainWith({ multicall: "0x12" }), 'Invalid value "0x12" for chains.0.multicall: expected an address (0x followed by 40 hex digits).'],
    [chainWith({ prices: { liquidityFloor: 0 } }), "Invalid value 0 for chains.0.prices.liquidityFloor: expected a number above 0."],
    [
      chainWith({ prices: { sources: ["pools", "pools"] } }),
      'Invalid value ["pools","pools"] for chains.0.prices.sources: expected each source at most once.',
    ],
  ])("repeats the value and describes the expected one: %j", (settings, message) => {
    expect(errorsOf(settings)).toEqual([`ashlar.yaml: ${message}`]);
  });

  it("names the setting that is missing", () => {
    expect(errorsOf({ chains: [{}] })).toEqual([
      "ashlar.yaml: Missing setting chains.0.name: expected a name of lower-case letters, digits and dashes that starts with a letter.",
    ]);
  });

  it("suggests the nearest name for an unknown setting, or lists all settings of the section", () => {
    expect(errorsOf({ prt: 1 })).toEqual(["ashlar.yaml: Unknown setting prt: did you mean port?"]);
    expect(errorsOf(chainWith({ explorers: [{ label: "a", url: "http://a", cheese: 1 }] }))).toEqual([
      "ashlar.yaml: Unknown setting chains.0.explorers.0.cheese: expected one of label, url.",
    ]);
  });

  it("names the variable or the option that sets the value", () => {
    const origins = { port: "PORT", "chains.0.from": "--from" };
    expect(errorsOf({ port: "80x", ...chainWith({ from: -1 }) }, origins)).toEqual([
      'Invalid value "80x" for PORT: expected a port from 0 to 65535.',
      "Invalid value -1 for --from: expected an integer of at least 0.",
    ]);
  });

  it("truncates a long value", () => {
    expect(errorsOf({ logLevel: "x".repeat(200) })).toEqual([
      `ashlar.yaml: Invalid value "${"x".repeat(99)}… for logLevel: expected debug, info, warn, error or silent.`,
    ]);
  });
});

describe("a value that may be a secret", () => {
  it.each([
    [chainWith({ rpc: "node.example/secret" }), "chains.0.rpc: expected an http:// or https:// URL, such as http://localhost:8545"],
    [
      chainWith({ rpc: ["http://node.example", "secret"] }),
      "chains.0.rpc.1: expected an http:// or https:// URL, such as http://localhost:8545",
    ],
    [
      chainWith({ rpc: ["http://node.example/secret", "http://node.example/secret"] }),
      "chains.0.rpc: expected a list of 1 to 16 different URLs",
    ],
    [chainWith({ rpc: [] }), "chains.0.rpc: expected a list of 1 to 16 different URLs"],
    [
      chainWith({ rpc: 5 }),
      "chains.0.rpc: expected an http:// or https:// URL, such as http://localhost:8545, or a list of 1 to 16 different URLs",
    ],
    [chainWith({ ws: "http:secret" }), "chains.0.ws: expected a ws:// or wss:// URL, such as ws://localhost:8546"],
    [{ databaseUrl: ["secret"] }, "databaseUrl: expected a string"],
    [{ readUrls: ["secret"] }, "readUrls.0: expected a URL of the form postgresql://user:password@host:port/name"],
    [{ communityDatabaseUrl: ["secret"] }, "communityDatabaseUrl: expected a string"],
    [chainWith({ nfts: { ipfsGateways: ["secret"] } }), "chains.0.nfts.ipfsGateways.0: expected an http:// or https:// URL"],
    [{ publicUrl: "postgresql://user:secret@host/database" }, "publicUrl: expected an http:// or https:// URL"],
    [{ logLevel: "ckey_secret" }, "logLevel: expected debug, info, warn, error or silent"],
    [{ chains: { rpc: "secret" } }, "chains: expected a list"],
  ])("is not repeated: %j", (settings, message) => {
    expect(errorsOf(settings)).toEqual([`ashlar.yaml: Invalid value for ${message}.`]);
  });
});
