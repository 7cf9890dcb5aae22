import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { erc721Item, erc1155Item, nativeItem } from "../../../../demo/story/seaport-orders.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { type Artifact, artifacts, encodeCall, type TestTransaction } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { multicallAddress, multicallCode } from "../../../support/multicall.ts";
import { ether, type NftMarket, serveNftMarket, startNftMarket, toLower } from "../nft-sales/nft-market.ts";
import type { ResponseData, TestApi } from "../pools/serve-pools.ts";
import { type IndexWithJobs, startIndexWithJobs } from "./reorganisation/index-with-jobs.ts";
import { compilePaintings } from "./reorganisation/paintings.ts";
import { tablesOf } from "./reorganisation/stable-tables.ts";

let market: NftMarket;
let paintings: Address;
let artifact: Artifact;
let testDatabase: TestDatabase;
let indexWithJobs: IndexWithJobs;
let api: TestApi;
let snapshot: string;

const serve = (database: Database): Promise<TestApi> =>
  serveNftMarket(database, market, [{ protocol: "seaport", address: market.seaport }]);

/** Returns the paths of all NFT and approval operations. */
const paths = (): string[] => {
  const { art, editions, accounts, coin } = market;
  return [
    "nft/collections/",
    ...accounts.flatMap((account) => [
      ...[`address/${account}/balances_nft/`, `approvals/${account}/`, `nft/approvals/${account}/`],
      ...[paintings, art, editions].map((collection) => `address/${account}/collection/${collection}/`),
      ...["1", "7"].map((id) => `address/${account}/collection/${paintings}/token/${id}/`),
    ]),
    ...[paintings, art, editions, coin].flatMap((collection) => [
      ...[`nft/${collection}/metadata/`, `nft/${collection}/traits/`, `nft/${collection}/traits_summary/`],
      ...[`nft/${collection}/traits/Colour/attributes/`, `nft/${collection}/metadata/?traits-filter=Colour&values-filter=red`],
      ...["1", "2", "7"].flatMap((id) => [`nft/${collection}/metadata/${id}/`, `tokens/${collection}/nft_transactions/${id}/`]),
      ...["floor_price", "volume", "sale_count"].map((operation) => `nft_market/${collection}/${operation}/?days=10`),
    ]),
  ];
};
const timestampsOfReads = /"(updated_at|last_scraped_at)":"[^"]*"/g;
const responsesOf = async ({ request }: TestApi): Promise<Record<string, unknown>> => {
  const all: Record<string, unknown> = {};
  for (const path of paths()) {
    const { status, data, message } = await request(path);
    all[path] = [status, JSON.stringify(data)?.replace(timestampsOfReads, ""), message];
  }
  return all;
};

/** Compares the index with a fresh one of the same chain. */
const expectEqualToFreshIndex = async (): Promise<void> => {
  await indexWithJobs.reconcile();
  const fresh = await createTestDatabase();
  const other = await startIndexWithJobs(market, fresh.database);
  await other.reconcile();
  await other.end();
  const [actual, expected] = [await tablesOf(testDatabase.database), await tablesOf(fresh.database)];
  for (const table of Object.keys(expected)) expect(actual[table], table).toEqual(expected[table]);
  const freshApi = await serve(fresh.database);
  const [actualResponses, expectedResponses] = [await responsesOf(api), await responsesOf(freshApi)];
  for (const path of paths()) expect(actualResponses[path], path).toEqual(expectedResponses[path]);
  await freshApi.end();
  await fresh.drop();
};

const transaction = (from: Address, name: string, ...args: readonly unknown[]): TestTransaction => ({
  from,
  ...encodeCall(artifact, paintings, name, args),
});
const mineAndReconcile = async (day: number, hour: number, ...transactions: readonly TestTransaction[]): Promise<void> => {
  await market.mineOn(day, hour, ...transactions);
  await indexWithJobs.reconcile();
};
const revertToSnapshot = async (): Promise<void> => {
  await market.chain.rpc("evm_revert", [snapshot]);
  snapshot = await market.chain.rpc<string>("evm_snapshot");
};
const itemsOf = async (path: string): Promise<ResponseData[]> => (await api.get(path)).items;

beforeAll(async () => {
  market = await startNftMarket();
  const { chain, accounts, seaport, sell, coin } = market;
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
  artifact = compilePaintings();
  paintings = toLower(await chain.deploy(artifact));
  const [anna, ben, cleo] = accounts;
  testDatabase = await createTestDatabase();
  indexWithJobs = await startIndexWithJobs(market, testDatabase.database);
  api = await serve(testDatabase.database);
  const mints = [1, 2, 3, 4, 5, 6].map((id) => transaction(anna, "mint", anna, BigInt(id), id % 2 === 0 ? "red" : "green"));
  await mineAndReconcile(0, 1, ...mints, ...accounts.map((account) => transaction(account, "setApprovalForAll", seaport, true)));
  await mineAndReconcile(0, 2, ...sell(anna, ben, erc721Item(paintings, 1n), nativeItem(2n * ether)));
  await mineAndReconcile(0, 3, transaction(anna, "approve", cleo, 2n), {
    from: anna,
    ...encodeCall(artifacts.erc20(), coin, "approve", [cleo, 500n]),
  });
  snapshot = await chain.rpc<string>("evm_snapshot");
}, 120_000);
afterAll(async () => {
  await api?.end();
  await indexWithJobs?.end();
  await testDatabase?.drop();
  await market?.chain.stop();
});

describe("a reorganisation", () => {
  it("removes a token, its sale and its metadata if it drops the mint", async () => {
    const [, ben, cleo] = market.accounts;
    await mineAndReconcile(
      1,
      1,
      transaction(ben, "mint", ben, 7n, "blue"),
      ...market.sell(ben, cleo, erc721Item(paintings, 7n), nativeItem(ether)),
    );
    expect((await itemsOf(`nft/${paintings}/metadata/7/`))[0].nft_data).toMatchObject({
      current_owner: cleo,
      external_data: { name: "blue" },
    });
    await revertToSnapshot();
    await mineAndReconcile(1, 2, { to: ben, value: 1n });
    expect((await api.request(`nft/${paintings}/metadata/7/`)).status).toBe(404);
    expect((await api.request(`nft/${paintings}/traits/Colour/attributes/`)).data.items[0].values).toEqual([
      { value: "green", count: 3 },
      { value: "red", count: 3 },
    ]);
    await expectEqualToFreshIndex();
    // The new branch starts with a mint of the same id by another account, in another colour.
    await revertToSnapshot();
    await mineAndReconcile(1, 1, transaction(cleo, "mint", cleo, 7n, "red"));
    expect((await itemsOf(`nft/${paintings}/metadata/7/`))[0].nft_data).toMatchObject({
      original_owner: cleo,
      external_data: { name: "red" },
    });
    await expectEqualToFreshIndex();
  });

  it("restores floor price and owner, and clears the earlier sale's wash-trade mark, if it drops a sale", async () => {
    const [anna, ben] = market.accounts;
    const floor = async () => (await itemsOf(`nft_market/${paintings}/floor_price/?days=1`))[0].floor_price_native_quote;
    await revertToSnapshot();
    await mineAndReconcile(1, 0, { to: ben, value: 1n });
    expect(await floor()).toBe(2);
    await mineAndReconcile(1, 1, ...market.sell(ben, anna, erc721Item(paintings, 1n), nativeItem(ether / 1_000n)));
    await mineAndReconcile(
      1,
      2,
      ...market.sell(anna, ben, [erc721Item(paintings, 3n), erc1155Item(market.editions, 4n, 3n)], nativeItem(8n * ether)),
    );
    // A sale back to the seller within thirty days makes both sales wash trades; the bundle's four units cost two ether each.
    expect(await floor()).toBe(2);
    expect((await itemsOf(`nft_market/${paintings}/sale_count/?days=2`)).map(({ wash_sale_count: count }) => count)).toEqual([1, 1]);
    await revertToSnapshot();
    await mineAndReconcile(1, 3, ...market.sell(anna, ben, erc721Item(paintings, 4n), nativeItem(3n * ether)));
    expect(await floor()).toBe(2);
    expect((await itemsOf(`nft_market/${paintings}/sale_count/?days=2`)).map(({ wash_sale_count: count }) => count)).toEqual([0, 0]);
    await expectEqualToFreshIndex();
  });

  it("restores the earlier allowance if it drops an approval or its use", async () => {
    const [anna, ben, cleo, , dora] = market.accounts;
    const { coin, weth } = market;
    await revertToSnapshot();
    await mineAndReconcile(
      1,
      1,
      transaction(anna, "setApprovalForAll", dora, true),
      { from: anna, ...encodeCall(artifacts.erc20(), coin, "approve", [cleo, 0n]) },
      // Wrapped ether emits no event when an allowance is used: the allowance is read from the contract.
      { from: ben, ...encodeCall(artifacts.weth(), weth, "approve", [dora, 900n]) },
    );
    await mineAndReconcile(
      1,
      2,
      { from: dora, ...encodeCall(artifacts.weth(), weth, "transferFrom", [ben, dora, 400n]) },
      transaction(cleo, "transferFrom", anna, cleo, 2n),
    );
    const allowances = async (account: Address) =>
      Object.fromEntries(
        (await itemsOf(`approvals/${account}/`)).flatMap(({ token_address: token, spenders }: ResponseData) =>
          spenders.map(({ spender_address: spender, allowance }: ResponseData) => [`${token} ${spender}`, allowance]),
        ),
      );
    expect((await allowances(ben))[`${weth} ${dora}`]).toBe("500");
    expect(await allowances(anna)).not.toHaveProperty(`${coin} ${cleo}`);
    await revertToSnapshot();
    await mineAndReconcile(1, 2, { from: ben, ...encodeCall(artifacts.weth(), weth, "approve", [dora, 900n]) });
    expect((await allowances(ben))[`${weth} ${dora}`]).toBe("900");
    expect((await allowances(anna))[`${coin} ${cleo}`]).toBe("500");
    const approvals = (await itemsOf(`nft/approvals/${anna}/`)).find((item: ResponseData) => item.contract_address === paintings);
    expect(approvals.spenders.map((spender: ResponseData) => [spender.spender_address, spender.token_ids_approved])).toEqual([
      [cleo, "2"],
      [market.seaport, "ALL"],
    ]);
    await expectEqualToFreshIndex();
    // Drops only the use.
    const beforeUse = await market.chain.rpc<string>("evm_snapshot");
    await mineAndReconcile(1, 3, { from: dora, ...encodeCall(artifacts.weth(), weth, "transferFrom", [ben, dora, 300n]) });
    expect((await allowances(ben))[`${weth} ${dora}`]).toBe("600");
    await market.chain.rpc("evm_revert", [beforeUse]);
    await mineAndReconcile(1, 4, { to: ben, value: 1n });
    expect((await allowances(ben))[`${weth} ${dora}`]).toBe("900");
    await expectEqualToFreshIndex();
  });

  it("reads the earlier metadata again if it drops a metadata change", async () => {
    const [anna] = market.accounts;
    const colour = async (id: number) => (await itemsOf(`nft/${paintings}/metadata/${id}/`))[0].nft_data.external_data.name;
    await revertToSnapshot();
    await mineAndReconcile(1, 1, transaction(anna, "paint", 3n, "blue"), transaction(anna, "paint", 4n, "blue"));
    expect([await colour(3), await colour(4)]).toEqual(["blue", "blue"]);
    await revertToSnapshot();
    await mineAndReconcile(1, 1, transaction(anna, "paint", 4n, "gold"));
    expect([await colour(3), await colour(4)]).toEqual(["green", "gold"]);
    await expectEqualToFreshIndex();
  });

  it("leaves no data of four dropped blocks if the new branch is longer", async () => {
    const [anna, ben, cleo] = market.accounts;
    await revertToSnapshot();
    for (const hour of [1, 2, 3, 4]) await mineAndReconcile(1, hour, transaction(anna, "mint", ben, BigInt(10 + hour), "white"));
    await revertToSnapshot();
    for (const hour of [1, 2, 3, 4, 5, 6, 7])
      await market.mineOn(
        1,
        hour,
        transaction(anna, "mint", cleo, BigInt(20 + hour), "black"),
        ...market.sell(anna, cleo, erc1155Item(market.editions, BigInt(hour), 2n), nativeItem(BigInt(hour) * ether)),
      );
    await expectEqualToFreshIndex();
    expect((await api.get(`nft/${paintings}/metadata/`)).pagination.total_count).toBe(6 + 7);
  });
});
