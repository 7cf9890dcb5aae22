import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBitcoinChain, createTransaction } from "../../../../demo/bitcoin/chain.ts";
import { deriveWallets } from "../../../../demo/bitcoin/wallets.ts";
import { doctor } from "../../../../runtime/commands/doctor.ts";
import { chainConfigSchema } from "../../../../runtime/config/config.ts";
import { startBitcoinNode, type TestBitcoinNode } from "../../../support/bitcoin/node.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { type BitcoinServer, chainId, chainSettings, indexAll, serveBitcoin } from "./support.ts";

const evm = { ...chainConfigSchema.parse({ name: "evm", id: 31337, rpc: "http://127.0.0.1:1" }), id: 31337 };
const path = "/v1/cq/provider/app/protocol_03/transactions/";
const wallet = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
const formats = "m…, n…, 2… or bcrt1… on btc-regtest";

let node: TestBitcoinNode;
let testDatabase: TestDatabase;
let server: BitcoinServer;

beforeAll(async () => {
  const chain = createBitcoinChain();
  const [from, to] = [deriveWallets(1).p2pkh, deriveWallets(2).p2sh];
  if (from === undefined || to === undefined) throw new Error("The wallets have no p2pkh or p2sh script.");
  const coinbase = chain.mine([], [{ script: from.script, value: 50_00000000n }]).transactions[0]?.getId() ?? "";
  chain.mine([createTransaction([chain.coin(coinbase, 0)], [{ script: to.script, value: 1n }])]);
  node = await startBitcoinNode(chain);
  testDatabase = await createTestDatabase();
  await indexAll(node, testDatabase.database);
  server = await serveBitcoin(testDatabase.database, chainSettings(node.url), [evm]);
});
afterAll(async () => {
  await server?.stop();
  await testDatabase?.drop();
  await node?.stop();
});

const messageOf = async (url: string): Promise<[number, string | null]> => {
  const { status, body } = await server.get(url);
  return [status, body.error_message];
};

describe("a request for a Bitcoin chain", () => {
  it.each([
    ["an EVM address", "0x70997970c51812dc3a010c7d01b50e0d17dc79c8"],
    ["a name", "alice.eth"],
    ["an address from another network", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"],
    ["an address with a wrong character", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt081"],
    ["a transaction id", "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"],
  ])("is rejected for %s", async (_, address) => {
    expect(await messageOf(`${path}?address=${address}`)).toEqual([
      400,
      `Invalid value "${address}" for address: expected a valid address of the Bitcoin chain (${formats}).`,
    ]);
  });

  it("is rejected without an address", async () => {
    const [status, message] = await messageOf(path);
    expect([status, message]).toEqual([400, expect.stringContaining(`a valid address of the Bitcoin chain (${formats}) (required)`)]);
  });

  it("is rejected for an EVM chain", async () => {
    expect(await messageOf(`${path}?address=${wallet}&chain-name=evm`)).toEqual([
      400,
      'Invalid value "evm" for chain-name: expected a configured chain by name or id (btc-regtest), because evm is an EVM chain; this endpoint is for Bitcoin chains.',
    ]);
  });

  it.each(["btc-regtest", String(chainId)])("returns no items for an address without transactions on chain %s", async (chain) => {
    const { status, body } = await server.get(`${path}?address=${wallet}&chain-name=${chain}`);
    expect([status, body.data]).toMatchObject([200, { address: wallet, items: [], pagination: { has_more: false } }]);
  });

  it("returns its rows as CSV", async () => {
    const address = deriveWallets(2).p2sh?.address;
    const text = await server.text(`${path}?address=${address}&format=csv`);
    expect(text.trim().split("\n")).toHaveLength(2);
  });
});

describe("a request for EVM chains", () => {
  it.each([`/v1/btc-regtest/block_v2/latest/`, `/v1/${chainId}/address/0x70997970c51812dc3a010c7d01b50e0d17dc79c8/balances_v2/`])(
    "is rejected for a Bitcoin chain: %s",
    async (url) => {
      expect(await messageOf(url)).toEqual([
        400,
        expect.stringContaining("because btc-regtest is a Bitcoin chain; this endpoint is for EVM chains."),
      ]);
    },
  );

  it("is rejected for a Bitcoin address", async () => {
    expect(await messageOf(`/v1/evm/address/${wallet}/balances_v2/`)).toEqual([
      400,
      `Invalid value "${wallet}" for walletAddress: expected 0x followed by 40 hex digits or a registered name.`,
    ]);
  });
});

describe("lists of chains", () => {
  it("contain each chain's kind", async () => {
    const { body } = await server.get("/v1/chains/");
    expect(body.data).toMatchObject({
      items: [
        { name: "btc-regtest", kind: "bitcoin", chain_id: String(chainId) },
        { name: "evm", kind: "evm", chain_id: "31337" },
      ],
    });
  });

  it("contain a Bitcoin chain's status", async () => {
    const { body } = await server.get("/v1/chains/status/");
    const offers = ["spent-outputs", "all-blocks"];
    const status = {
      kind: "bitcoin",
      synced_block_height: 2,
      latest_block_height: 2,
      blocks_behind: 0,
      native_accounting: null,
      missing: [],
    };
    expect(body.data).toMatchObject({
      items: [
        { ...status, offers, building: [] },
        { kind: "evm", has_data: false },
      ],
    });
  });
});

describe("ashlar doctor", () => {
  const linesOf = async (url: string, from?: number): Promise<readonly [number, string]> => {
    const lines: string[] = [];
    return [await doctor(url, { print: (line) => lines.push(line), from }), lines.join("\n")];
  };

  it("reports what a Bitcoin node offers", async () => {
    const [status, text] = await linesOf(node.url);
    expect(status).toBe(0);
    expect(text).toContain("serves the Bitcoin network regtest (/Satoshi:28.0.0/); its head is block 2.");
    expect(text).toMatch(/spent-outputs +getblock with verbosity 3/);
    expect(text).toMatch(/transaction-index +no +not needed/);
    expect(text).toContain("The node's last 3 blocks (4 transactions) are consistent");
    expect(text).not.toContain("secret");
  });

  it("refuses a first block that a pruned node does not have", async () => {
    const pruned = await startBitcoinNode(node.chain, { firstBlock: 1, version: 220_000 });
    try {
      expect(await linesOf(pruned.url)).toEqual([1, expect.stringContaining("a block from 1 to 2, which the node has")]);
    } finally {
      await pruned.stop();
    }
  });
});
