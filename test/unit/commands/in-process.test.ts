import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { createApp } from "../../../runtime/app.ts";
import { runIndexers } from "../../../runtime/commands/index-chains.ts";
import { requireChains, resolveChains } from "../../../runtime/commands/resolve-chains.ts";
import { type ChainConfig, chainConfigSchema, configSchema } from "../../../runtime/config/config.ts";
import type { Database } from "../../../runtime/database/database.ts";

const configOf = (...chains: readonly object[]) => configSchema.parse({ chains });
const chain: ChainConfig = { ...chainConfigSchema.parse({ name: "one", id: 5, rpc: "http://127.0.0.1:1" }), id: 5 };
const silent = pino({ level: "silent" });
/** A database that these tests must not query. */
const noDatabase = {} as Database;

describe("a command's chains", () => {
  it("are required", () => {
    expect(() => requireChains(configOf())).toThrow(/^No chain is configured; add one to ashlar.yaml/);
    expect(() => requireChains(configOf({ name: "one", id: 5 }))).not.toThrow();
  });

  it("have the ids stored in the index, which must be distinct", async () => {
    const rows = async <Row>() => [{ chain_id: 5, name: "one" }] as Row[];
    const database = { query: rows, run: rows };
    expect((await resolveChains(configOf({ name: "one" }, { name: "two", id: 6 }), { indexing: database })).map(({ id }) => id)).toEqual([
      5, 6,
    ]);
    await expect(resolveChains(configOf({ name: "one" }, { name: "two", id: 5 }), { indexing: database })).rejects.toThrow(
      "Chains one and two have the same id 5; configure each network once.",
    );
    await expect(resolveChains(configOf({ name: "new" }), { indexing: database })).rejects.toThrow(/The id of chain new is unknown/);
  });
});

describe("a chain that cannot be indexed", () => {
  it("is reported with its message, and logged without its details", async () => {
    const { rpc: _, ...withoutNode } = chain;
    const lines: string[] = [];
    const printed: string[] = [];
    const progress = { report: () => undefined, print: (line: string) => void printed.push(line), end: () => undefined };
    const logger = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) });
    const unreachable = { ...noDatabase, query: () => Promise.reject(new Error("unreachable")) };
    const reason = "No node configured for chain one; set its rpc in ashlar.yaml or pass --rpc URL.";
    await expect(
      runIndexers(
        { chains: [withoutNode], protocols: [], database: { indexing: unreachable, readerRole: "" }, logger, progress },
        new AbortController().signal,
      ),
    ).rejects.toThrow(reason);
    expect(printed).toEqual([`Indexing one stopped: ${reason}`]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([{ level: 50, chain: "one", reason, msg: "Indexing stopped" }]);
  });
});

describe("an ABI file that cannot be read", () => {
  it("is rejected with its path and the reason", () => {
    const chains = [{ ...chain, abiFiles: ["nowhere/events.json"] }];
    expect(() => createApp({ config: configOf(), chains, database: noDatabase, logger: silent })).toThrow(
      /^Invalid value "nowhere\/events\.json" for abiFiles of chain one: no such file; set it to the path of a readable file/,
    );
  });
});
