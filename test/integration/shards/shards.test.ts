import { afterAll, beforeAll, expect, test } from "vitest";
import { pauseChainByName, removeChainByName, resumeChainByName } from "../../../runtime/commands/chain-commands.ts";
import { bytes } from "../../../runtime/database/codecs.ts";
import type { Database } from "../../../runtime/database/database.ts";
import { currencyAsset } from "../../../runtime/domains/prices/engine/assets.ts";
import { nativeTokenAddress } from "../../../runtime/lib/hex.ts";
import { activityPath, balancesPath, chainsOf, namesIn, pathsOf, statusesPath } from "../../support/shards/requests.ts";
import { type JsonResponse, protocolOfTwo, type ShardedService, serve, startSharded } from "../../support/shards/sharded-service.ts";

let sharded: ShardedService;

beforeAll(async () => {
  sharded = await startSharded();
});
afterAll(() => sharded?.end());

test("all endpoints return the same responses with chains in two databases as with chains in one", async () => {
  const [split, single] = [await serve(sharded.shardedConfig, sharded.key), await serve(sharded.singleConfig, sharded.key)];
  let served = 0;
  for (const [name, chain] of chainsOf(sharded)) {
    for (const path of pathsOf(name, chain)) {
      const [found, expected] = [await split.get(path), await single.get(path)];
      expect([path, found]).toEqual([path, expected]);
      if (found.status === 200) served += 1;
    }
  }
  // Without exchanges, about half of the endpoints return 200.
  expect(served).toBeGreaterThanOrEqual(50);
  const community = `/v1/cq/provider/app/${protocolOfTwo}/markets/?chain-name=two`;
  expect((await split.get(community)).status).toBe(200);
  for (const path of ["/v1/chains/", community, activityPath(sharded.one), "/v1/xy=k/supported_dexes/"])
    expect([path, await split.get(path)]).toEqual([path, await single.get(path)]);
  expect(namesIn(await split.get(activityPath(sharded.one)))).toEqual(["one", "two"]);
  const status = await split.get(statusesPath);
  expect([namesIn(status), status.body.data?.unavailable_chains]).toEqual([["one", "two"], []]);
});

const chainsIn = async ({ query }: Database) =>
  (await query<{ name: string }>("SELECT name FROM chains ORDER BY name")).map(({ name }) => name);

test("chains are stored in their own database, and keys in the control database", async () => {
  expect(await chainsIn(sharded.control.database)).toEqual(["one"]);
  expect(await chainsIn(sharded.shard.database)).toEqual(["two"]);
  expect(await sharded.shard.database.query("SELECT FROM api_keys")).toEqual([]);
});

test("page anchors are stored in their chain's database", async () => {
  const server = await serve(sharded.shardedConfig, sharded.key);
  for (const [name, { accounts, token }] of chainsOf(sharded)) {
    const first = await server.get(`/v1/${name}/address/${accounts[0]}/transfers_v2/?contract-address=${token}&page-size=1`);
    expect([first.status, first.body.data?.pagination]).toEqual([200, expect.objectContaining({ has_more: true })]);
  }
  const anchorsIn = ({ query }: Database) => query<{ chain_id: number }>("SELECT DISTINCT chain_id FROM page_anchors");
  expect(await anchorsIn(sharded.control.database)).toEqual([{ chain_id: 31_337 }]);
  expect(await anchorsIn(sharded.shard.database)).toEqual([{ chain_id: 31_338 }]);
});

/** Stores an asset's price for an hour and a day, as the job that computes prices does. */
async function storePrice({ query }: Database, chainId: number, asset: string, close: string): Promise<void> {
  const start = Date.UTC(2023, 10, 14) / 3_600_000;
  await query("INSERT INTO price_hours (chain_id, asset, hour, close) VALUES ($1, $2, $3, $4)", [
    chainId,
    bytes(asset as "0x"),
    start,
    close,
  ]);
  await query("INSERT INTO price_days (chain_id, asset, day, close) VALUES ($1, $2, $3, $4)", [
    chainId,
    bytes(asset as "0x"),
    start / 24,
    close,
  ]);
  await query("INSERT INTO priced_assets (chain_id, asset, hour) VALUES ($1, $2, $3)", [chainId, bytes(asset as "0x"), start]);
}
/** The price of one ether; the stored price is per wei. */
const nativeRate = ({ body }: JsonResponse): unknown =>
  ((body.data?.items ?? []) as readonly { readonly native_token: boolean; readonly quote_rate: number }[]).find((item) => item.native_token)
    ?.quote_rate;

test("a chain uses the currency rate from a chain in another database, and has none while that database is lost", async () => {
  // An ether costs 2,000 US dollars and a euro 1.25, so an ether costs 2,000 / 1.25 = 1,600 euros.
  await storePrice(sharded.control.database, 31_337, nativeTokenAddress, "0.000000000000002");
  await storePrice(sharded.shard.database, 31_338, currencyAsset("EUR"), "1.25");
  const server = await serve(sharded.shardedConfig, sharded.key);
  const rateIn = async (currency: string) => {
    const response = await server.get(balancesPath("one", sharded.one, `?quote-currency=${currency}`));
    return [response.status, nativeRate(response)];
  };
  expect(await rateIn("USD")).toEqual([200, 2_000]);
  expect(await rateIn("EUR")).toEqual([200, 1_600]);
  sharded.shard.proxy.isMuted = true;
  try {
    sharded.shard.proxy.disconnect();
    await expect.poll(() => rateIn("EUR"), { timeout: 20_000 }).toEqual([200, null]);
    expect(await rateIn("USD")).toEqual([200, 2_000]);
  } finally {
    sharded.shard.proxy.isMuted = false;
    sharded.shard.proxy.disconnect();
  }
  await expect.poll(() => rateIn("EUR"), { timeout: 20_000 }).toEqual([200, 1_600]);
});

test("actions on a chain change its database, and are logged in the control database", async () => {
  await pauseChainByName(sharded.shardedConfig, "two");
  const paused = ({ query }: Database) => query("SELECT name FROM chains WHERE paused_at IS NOT NULL");
  expect(await paused(sharded.shard.database)).toEqual([{ name: "two" }]);
  expect(await paused(sharded.control.database)).toEqual([]);
  await resumeChainByName(sharded.shardedConfig, "two");
  expect(await paused(sharded.shard.database)).toEqual([]);
  await expect(removeChainByName(sharded.shardedConfig, "three", { yes: "three" })).rejects.toThrow(
    'Invalid value "three" for the chain: expected an indexed chain (one, two).',
  );
  const actions = ({ query }: Database) => query("SELECT action, subject FROM operator_actions WHERE action LIKE 'chain.%' ORDER BY id");
  expect(await actions(sharded.shard.database)).toEqual([]);
  expect(await actions(sharded.control.database)).toEqual([
    { action: "chain.pause", subject: "two" },
    { action: "chain.resume", subject: "two" },
  ]);
});
