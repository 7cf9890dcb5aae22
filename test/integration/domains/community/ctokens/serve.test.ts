import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Address, nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import { parseCsv } from "../../../../support/csv.ts";
import { builtInProtocol } from "../operations.ts";
import { type ServedCommunity, serveCommunity } from "../serve.ts";
import { type CTokenStory, family, startCTokenStory } from "./story.ts";

const protocolNames = { protocol_04: "compound", protocol_08: "venus" } as const;

describe.each(family)("the endpoints of $id", (protocol) => {
  const { id } = protocol;
  let story: CTokenStory;
  let served: ServedCommunity;
  let wallet: Address;

  beforeAll(async () => {
    story = await startCTokenStory(protocol);
    [wallet] = story.market.people as [Address];
    const community = { [id]: { comptroller: [story.market.registry] } };
    served = await serveCommunity(story.testDatabase.database, { protocols: [builtInProtocol(id)], community });
  });
  afterAll(async () => {
    await served?.close();
    await story?.end();
  });

  it("return the operations' items at the head, under the protocol's number and name", async () => {
    const { itemsOf, head: height } = story;
    for (const [operation, parameters] of [
      ["markets", {}],
      ["market_data", {}],
      ["balances", { wallet }],
      ["transactions", { wallet }],
    ] as const) {
      const query = "wallet" in parameters ? `?address=${wallet}` : "";
      const { items } = await served.get(`${id}/${operation}/${query}`);
      const expected = await itemsOf(operation, { height, ...parameters, limit: items.length });
      expect(items.map(({ pool_address, log_offset, balance, supply_rate }) => [pool_address, log_offset, balance, supply_rate])).toEqual(
        expected.map(({ pool_address, log_offset, balance, supply_rate }) => [pool_address, log_offset, balance, supply_rate]),
      );
      expect(items.length).toBeGreaterThan(2);
      expect((await served.get(`${protocolNames[id]}/${operation}${query}`)).items).toEqual(items);
    }
  });

  it("name the native token as configured for its chain", async () => {
    const etherFields = { contract_name: "Ether", contract_ticker_symbol: "ETH", contract_decimals: 18 };
    const { address } = story.market.native;
    const [market] = (await served.get(`${id}/market_data/?pool-address=${address}`)).items;
    expect(market).toMatchObject({
      asset_address: nativeTokenAddress,
      asset_name: "Ether",
      asset_ticker_symbol: "ETH",
      asset_decimals: 18,
    });
    const balances = (await served.get(`${id}/balances/?address=${wallet}`)).items;
    expect(balances.find(({ pool_address }) => pool_address === address)).toMatchObject(etherFields);
    const transactions = (await served.get(`${id}/transactions/?address=${wallet}&page-size=100`)).items;
    const amounts = transactions.flatMap((item) => item.amounts as { contract_address: Address }[]);
    const ether = amounts.filter(({ contract_address }) => contract_address === nativeTokenAddress);
    expect(ether.length).toBeGreaterThan(0);
    for (const amount of ether) expect(amount).toMatchObject(etherFields);
  });

  it("return all items across pages without gaps or duplicates", async () => {
    const all = await served.get(`${id}/transactions/?address=${wallet}&page-size=100`);
    const pages = await Promise.all(
      [0, 1, 2].map((page) => served.get(`${id}/transactions/?address=${wallet}&page-size=5&page-number=${page}`)),
    );
    expect(pages.flatMap(({ items }) => items)).toEqual(all.items.slice(0, 15));
    expect(pages[0]?.pagination.has_more).toBe(true);
  });

  it("return the same rows as CSV", async () => {
    const { items } = await served.get(`${id}/market_data/`);
    const [header = [], ...rows] = parseCsv((await served.request(`${id}/market_data/?format=csv`)).text);
    for (const field of ["pool_address", "total_supply", "total_borrow", "asset_address"])
      expect(rows.map((row) => row[header.indexOf(field)])).toEqual(items.map((item) => item[field]));
  });

  it("have no items for an unknown wallet, and respond with 404 for an unknown pool", async () => {
    for (const operation of ["balances", "transactions"])
      expect((await served.get(`${id}/${operation}/?address=${story.market.registry}`)).items).toEqual([]);
    expect(await served.request(`${id}/market_data/?pool-address=${wallet}`)).toMatchObject({
      status: 404,
      message: `Pool ${wallet} of ${id} not found in the index of test.`,
    });
    expect((await served.request(`${id}/balances/`)).status).toBe(400);
  });
});
