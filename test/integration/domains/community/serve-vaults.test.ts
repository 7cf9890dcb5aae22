import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { parseCsv } from "../../../support/csv.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { builtInProtocol } from "./operations.ts";
import { type ServedCommunity, serveCommunity } from "./serve.ts";
import { type CommunityIndex, startCommunityIndex } from "./support.ts";
import { type Market, startMarket } from "./vault-market.ts";

const random = createRandom("served vaults");
const protocols = [builtInProtocol("protocol_06")];

let chain: TestChain;
let market: Market;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let served: ServedCommunity;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startMarket(chain);
  testDatabase = await createTestDatabase();
  const community = { protocol_06: { vault: market.vaults } };
  index = await startCommunityIndex(chain, testDatabase.database, { protocols, community });
  for (let step = 0; step < 8; step += 1) {
    await chain.send(...Array.from({ length: 5 }, () => market.randomTransaction(random)));
    await chain.mine();
  }
  // Each vault is touched after the last donation, so its newest share price is the price at the head.
  const [from] = chain.accounts as [Address];
  await chain.send(...market.vaults.map((vault) => ({ from, ...encodeCall(contracts("Vault"), vault, "deposit", [1_000_003n, from]) })));
  await chain.mine();
  await index.sync();
  served = await serveCommunity(testDatabase.database, { protocols, community });
});
afterAll(async () => {
  await served?.close();
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

const read = async (to: Address, name: string, args: readonly unknown[] = [], contract = "Vault"): Promise<bigint> =>
  BigInt(await chain.rpc<Hex>("eth_call", [encodeCall(contracts(contract), to, name, args), "latest"]));

const balancesPath = (owner: string, query = "") => `protocol_06/balances/?address=${owner}${query}`;

describe("balances of an ERC-4626 protocol", () => {
  it("equal convertToAssets() of the shares that the vault reports", async () => {
    const people = chain.accounts.slice(0, 4) as Address[];
    for (const owner of people) {
      const { items } = await served.get(balancesPath(owner));
      for (const vault of market.vaults) {
        const shares = await read(vault, "balanceOf", [owner]);
        const assets = await read(vault, "convertToAssets", [shares]);
        const item = items.find(({ pool_address }) => pool_address === vault);
        expect(item?.balance ?? "0", `${owner} in ${vault}`).toBe(assets.toString());
        if (item !== undefined) expect(item).toMatchObject({ contract_address: market.asset, position: "supplied", quote: null });
      }
    }
    expect((await served.get(balancesPath(people[0] as string))).items.length).toBe(market.vaults.length);
  });

  it("are empty for an address without a position", async () => {
    expect((await served.get(balancesPath(`0x${"12".repeat(20)}`))).items).toEqual([]);
  });
});

describe("markets and market data of an ERC-4626 protocol", () => {
  it("equal what the vaults' views return", async () => {
    const { items } = await served.get("protocol_06/market_data/");
    expect(items.map(({ pool_address }) => pool_address).sort()).toEqual([...market.vaults].sort());
    for (const item of items) {
      const vault = item.pool_address as Address;
      expect(item).toMatchObject({
        total_supply: String(await read(vault, "totalAssets")),
        lp_token_address: vault,
        lp_token_total_supply: String(await read(vault, "totalSupply")),
        asset_address: market.asset,
        total_borrow: null,
      });
    }
    const markets = await served.get("protocol_06/markets/");
    expect(markets.items.map(({ pool_address }) => pool_address).sort()).toEqual([...market.vaults].sort());
  });

  it("are restricted to one vault by pool-address, and respond with 404 for any other contract", async () => {
    const [first] = market.vaults as [Address];
    const { items } = await served.get(`protocol_06/market_data/?pool-address=${first}`);
    expect(items.map(({ pool_address }) => pool_address)).toEqual([first]);
    expect(await served.request(`protocol_06/market_data/?pool-address=${market.asset}`)).toMatchObject({
      status: 404,
      message: `Pool ${market.asset} of protocol_06 not found in the index of test.`,
    });
  });

  it("are paginated without gaps or duplicates", async () => {
    const first = await served.get("protocol_06/markets/?page-size=1");
    const second = await served.get("protocol_06/markets/?page-size=1&page-number=1");
    expect([first.pagination.has_more, second.pagination.has_more]).toEqual([true, false]);
    expect([...first.items, ...second.items]).toEqual((await served.get("protocol_06/markets/")).items);
  });
});

describe("transactions of an ERC-4626 protocol", () => {
  it("are the wallet's deposits and withdrawals in the node's logs, newest first", async () => {
    const [wallet] = chain.accounts as [Address];
    const logs = await chain.rpc<{ blockNumber: Hex; logIndex: Hex; topics: Hex[]; transactionHash: Hex }[]>("eth_getLogs", [
      { fromBlock: "0x0", toBlock: "latest", address: market.vaults },
    ]);
    // keccak256 of Deposit(address,address,uint256,uint256) and of Withdraw(address,address,address,uint256,uint256), EIP-4626.
    const actions: Readonly<Record<string, string>> = {
      "0xdcbc1c05240f31ff3ad067ef1ee35ce4997762752e3a095284754544f4c709d7": "deposit",
      "0xfbde797d201c681b91056529119e0b02407c7bb96a4a2c75c01fc9667232c8db": "withdraw",
    };
    const expected = logs
      .filter(
        ({ topics: [topic = "", ...accounts] }) =>
          actions[topic] !== undefined && accounts.some((account) => account.endsWith(wallet.slice(2))),
      )
      .map(({ topics: [topic = ""], blockNumber, logIndex, transactionHash }) => ({
        block_height: Number(blockNumber),
        log_offset: Number(logIndex),
        tx_hash: transactionHash,
        action: actions[topic],
      }))
      .sort((left, right) => right.block_height - left.block_height || right.log_offset - left.log_offset);
    const { items } = await served.get(`protocol_06/transactions/?address=${wallet}`);
    expect(items.map(({ block_height, log_offset, tx_hash, action }) => ({ block_height, log_offset, tx_hash, action }))).toEqual(expected);
    expect(expected.length).toBeGreaterThan(5);
  });
});

describe("a request to a community protocol", () => {
  it("accepts the protocol's default name and a path without a trailing slash, and defaults to the first chain with its contracts", async () => {
    const { items, chain_name } = await served.get("protocol_06/markets/");
    expect(chain_name).toBe("test");
    for (const path of ["morpho/markets/", "morpho/markets", "protocol_06/markets", "protocol_06/markets/?chain-name=test"])
      expect((await served.get(path)).items).toEqual(items);
  });

  it("responds with 404 on a chain without contracts of the protocol", async () => {
    expect(await served.request("protocol_06/markets/?chain-name=other")).toMatchObject({
      status: 404,
      message: expect.stringContaining("Protocol protocol_06 has no contracts on other"),
    });
  });

  it("responds with 400 if the address is missing or invalid", async () => {
    expect((await served.request("protocol_06/balances/")).status).toBe(400);
    expect(await served.request(balancesPath("0x12"))).toMatchObject({ status: 400, message: expect.stringContaining("0x12") });
  });

  it("returns the same rows as CSV", async () => {
    const [owner] = chain.accounts as [Address];
    const { items } = await served.get(balancesPath(owner));
    const [header = [], ...rows] = parseCsv((await served.request(balancesPath(owner, "&format=csv"))).text);
    const column = (name: string) => rows.map((row) => row[header.indexOf(name)]);
    expect(column("pool_address")).toEqual(items.map(({ pool_address }) => pool_address));
    expect(column("balance")).toEqual(items.map(({ balance }) => balance));
  });
});
