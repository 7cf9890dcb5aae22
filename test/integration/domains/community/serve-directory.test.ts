import { pino } from "pino";
import supertest from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type App, createApp } from "../../../../runtime/app.ts";
import { chainConfigSchema, configSchema } from "../../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../../runtime/config/key-limits.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { loadProtocols } from "../../../../runtime/protocols.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { parseCsv } from "../../../support/csv.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { createSavingsDirectory, makeDeposits, type SavingsDirectory } from "./savings-directory.ts";
import { type CommunityIndex, startCommunityIndex } from "./support.ts";
import { type Market, startMarket } from "./vault-market.ts";

let directory: SavingsDirectory;
let chain: TestChain;
let market: Market;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let app: App;
let key: string;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startMarket(chain);
  directory = createSavingsDirectory(market.vaults);
  const settings = configSchema.parse({ communityDirectory: directory.path, limits: { requestsPerSecond: 100_000, ...noKeyLimits } });
  const declared = loadProtocols(settings);
  const protocols = declared.addedProtocols.map(({ protocol }) => protocol);
  testDatabase = await createTestDatabase();
  index = await startCommunityIndex(chain, testDatabase.database, { protocols });
  await makeDeposits(chain, market);
  await index.sync();
  app = createApp({
    config: settings,
    chains: [{ ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: chain.url }), id: 31337 }],
    database: testDatabase.database,
    reader: testDatabase.database,
    ...declared,
    logger: pino({ level: "silent" }),
    validate: "strict",
  });
  ({ key } = await createKeys(testDatabase.database).create({ label: "test" }));
});
afterAll(async () => {
  await app?.close();
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
  directory?.remove();
});

const request = (path: string) => supertest(app.listener).get(`/v1/cq/provider/app/${path}`).set("Authorization", `Bearer ${key}`);

const itemsOf = async (path: string): Promise<Readonly<Record<string, unknown>>[]> => {
  const { status, body } = await request(path);
  expect(body.error_message).toBeNull();
  expect(status).toBe(200);
  return body.data.items;
};

const read = async (to: Address, name: string, args: readonly unknown[]): Promise<bigint> =>
  BigInt(await chain.rpc<Hex>("eth_call", [encodeCall(contracts("Vault"), to, name, args), "latest"]));

const owner = (): Address => chain.accounts[0] as Address;

describe("a template operation in an operator's directory", () => {
  it("returns balances that equal convertToAssets() of the shares that the vault reports", async () => {
    const items = await itemsOf(`savings/balances/?address=${owner()}`);
    expect(items.map(({ pool_address }) => pool_address).sort()).toEqual([...market.vaults].sort());
    for (const { pool_address, balance } of items) {
      const vault = pool_address as Address;
      expect(balance).toBe(String(await read(vault, "convertToAssets", [await read(vault, "balanceOf", [owner()])])));
    }
  });

  it("responds with 400 without the required address", async () => {
    const { status, body } = await request("savings/balances/");
    expect(status).toBe(400);
    expect(body.error_message).toContain("Missing value for address");
  });
});

describe("an operation of the directory that is not a template operation", () => {
  const deposits = async () => {
    // keccak256 of Deposit(address,address,uint256,uint256), EIP-4626.
    const topics = ["0xdcbc1c05240f31ff3ad067ef1ee35ce4997762752e3a095284754544f4c709d7", null, `0x${owner().slice(2).padStart(64, "0")}`];
    const logs = await chain.rpc<{ blockNumber: Hex; logIndex: Hex; address: Address; transactionHash: Hex; data: Hex }[]>("eth_getLogs", [
      { fromBlock: "0x0", toBlock: "latest", address: market.vaults, topics },
    ]);
    return logs
      .map(({ blockNumber, logIndex, address, transactionHash, data }) => ({
        block_height: Number(blockNumber),
        log_offset: Number(logIndex),
        tx_hash: transactionHash,
        vault_address: address,
        assets: String(BigInt(data.slice(0, 66))),
        shares: String(BigInt(`0x${data.slice(66)}`)),
      }))
      .sort((left, right) => right.block_height - left.block_height || right.log_offset - left.log_offset);
  };

  it("returns the node's logs as items of its own object", async () => {
    const items = await itemsOf(`savings/deposits/?address=${owner()}`);
    expect(items.map(({ block_signed_at: _time, sender, ...item }) => item)).toEqual(await deposits());
    expect(items.length).toBe(6);
    expect(new Set(items.map(({ sender }) => sender))).toEqual(new Set([owner()]));
  });

  it("is charged as the declaration states", async () => {
    const { headers } = await request(`savings/deposits/?address=${owner()}`);
    // 6 items at 0.01 credits.
    expect(headers["x-credits"]).toBe("0.06");
    expect((await request(`savings/balances/?address=${owner()}`)).headers["x-credits"]).toBe("0");
  });

  it("returns all items across pages without gaps or duplicates", async () => {
    const all = await itemsOf(`savings/deposits/?address=${owner()}`);
    const pages = await Promise.all(
      [0, 1].map((number) => itemsOf(`savings/deposits/?address=${owner()}&page-size=4&page-number=${number}`)),
    );
    expect(pages.map(({ length }) => length)).toEqual([4, 2]);
    expect(pages.flat()).toEqual(all);
  });

  it("returns the same rows as CSV", async () => {
    const [header, ...rows] = parseCsv((await request(`savings/deposits/?address=${owner()}&format=csv`)).text);
    const items = await itemsOf(`savings/deposits/?address=${owner()}`);
    expect(header).toEqual(Object.keys(items[0] ?? {}));
    expect(rows).toEqual(items.map((item) => Object.values(item).map(String)));
  });
});

describe("the OpenAPI document", () => {
  const documented = async () => (await supertest(app.listener).get("/openapi.json")).body;

  it("describes the endpoints with their own texts, costs and objects", async () => {
    const { paths, components } = await documented();
    const { get } = paths["/v1/cq/provider/app/savings/deposits/"];
    expect(get).toMatchObject({ summary: "Deposits for a wallet", "x-credit-cost": { credits: 0.01, per: "item" }, "x-class": "C" });
    expect(get.parameters.map(({ name, $ref }: { name?: string; $ref?: string }) => name ?? $ref?.split("/").at(-1))).toContain("address");
    const resolve = ({ $ref }: { $ref: string }) => components.schemas[$ref.split("/").at(-1) ?? ""];
    const response = resolve(resolve(get.responses["200"].content["application/json"].schema).properties.data);
    const item = resolve(response.properties.items.items);
    expect(Object.keys(item.properties)).toEqual(Object.keys((await itemsOf(`savings/deposits/?address=${owner()}`))[0] ?? {}));
    expect(paths["/v1/cq/provider/app/savings/balances/"].get).toMatchObject({
      "x-credit-cost": "not stated",
      operationId: "community.savings.balances",
    });
  });
});

describe("an unknown protocol or operation", () => {
  it.each([
    ["savins/balances/", "/v1/cq/provider/app/savings/balances/"],
    ["morfo/markets/", "/v1/cq/provider/app/morpho/markets/"],
    ["savings/balance/", "/v1/cq/provider/app/savings/balances/"],
  ])("results in 404 with the nearest path: %s", async (path, nearest) => {
    const { status, body } = await request(path);
    expect(status).toBe(404);
    expect(body.error_message).toContain(`the nearest path is ${nearest}`);
  });
});
