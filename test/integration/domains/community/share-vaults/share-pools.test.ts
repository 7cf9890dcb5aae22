import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import { bytes } from "../../../../../runtime/database/codecs.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { demoContracts } from "../../../../support/demo-contracts.ts";
import { builtInProtocol, createItemsOf, expectPages, type ItemsOf, insertTokens, timeOf } from "../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { approveAll, type Ground, layGround, ownContracts, tokenDecimals } from "./contracts.ts";
import { actionsIn, actionsOfWallet, type ExpectedAction, eventsOf, isBurn, isMint, transferEvent } from "./logs.ts";

const protocol = builtInProtocol("protocol_09");
const random = createRandom("share pools");
/** US dollars per whole token. */
const price = 3;
const days = 10;
const depositEvent = "Deposit(address indexed owner, uint256 shares, uint256 amount)";
const withdrawEvent = "Withdraw(address indexed owner, uint256 shares, uint256 amount)";

let chain: TestChain;
let test: TestDatabase;
let index: CommunityIndex;
let ground: Ground;
/** Two pools that are used, and one that is empty. */
let pools: readonly [Address, Address, Address];
let head: number;
let items: ItemsOf;

beforeAll(async () => {
  chain = await startTestChain();
  ground = await layGround(chain);
  const { people, strategist, collector, token, router, callOf } = ground;
  const deployPool = () => chain.deploy(demoContracts("SharePool"), ["Pool", "POOL", token, strategist, collector]);
  pools = [await deployPool(), await deployPool(), await deployPool()];
  await approveAll(chain, ground, pools);
  const hostile = [await chain.deploy(ownContracts("Hostile"), [false]), await chain.deploy(ownContracts("Hostile"), [true])];
  test = await createTestDatabase();
  index = await startCommunityIndex(chain, test.database, {
    protocols: [protocol],
    community: { protocol_09: { vault: [...pools, ...hostile] } },
  });
  const start = (await timeOf(chain, await chain.head())) + 86_400;
  for (let day = 0; day < days; day += 1) {
    for (let count = 0; count < 4; count += 1) {
      const [from, to, pool] = [random.pick(people), random.pick(people), random.pick(pools.slice(0, 2))];
      const amount = BigInt(random.between(1, 10 ** 9));
      await chain.send(
        callOf(from, "SharePool", pool, "deposit", [amount]),
        callOf(to, "SharePool", pool, "withdraw", [amount * 10n ** 11n]),
        callOf(from, "SharePool", pool, "transfer", [to, amount * 10n ** 10n]),
        callOf(to, "Router", router, "depositIntoPool", [pool, token, amount]),
      );
    }
    await chain.send(
      ...pools
        .slice(0, 2)
        .flatMap((pool) => [
          callOf(strategist, "SharePool", pool, "lend", [BigInt(random.between(1, 10 ** 6))]),
          callOf(strategist, "SharePool", pool, "report", [BigInt(random.between(1, 10 ** 6))]),
        ]),
    );
    if (day === 5)
      await chain.send(
        ...hostile.flatMap((one) => [
          callOf(people[0], "Hostile", one, "act", [people[0]]),
          callOf(people[0], "Hostile", one, "emitGarbage", [people[0]]),
        ]),
      );
    await chain.mine(start + day * 86_400);
  }
  await index.sync();
  head = await chain.head();
  await insertTokens(test.database, [
    { address: token, name: "Coin", decimals: tokenDecimals, price },
    ...pools.map((address) => ({ address, name: "Pool", decimals: 18 })),
  ]);
  items = createItemsOf(test.database, protocol);
});
afterAll(async () => {
  await index?.end();
  await test?.drop();
  await chain?.stop();
});

const heights = (): number[] => [0, 2, 4, 5, 7, 9].map((day) => head - days + 1 + day);
const inDollars = (amount: bigint): number => (Number(amount) / 10 ** tokenDecimals) * price;

/** The newest block up to a height in which a pool was used, by the node's logs; that of its deployment is unknown to the index. */
const usedAt = async (pool: Address, height: number): Promise<number | null> => {
  const [deposits, withdrawals] = await Promise.all([eventsOf(chain, [pool], depositEvent), eventsOf(chain, [pool], withdrawEvent)]);
  const blocks = [...deposits, ...withdrawals].map(({ block }) => block).filter((block) => block <= height);
  return blocks.length === 0 ? null : Math.max(...blocks);
};

describe("market data of protocol 09", () => {
  it("equals the views of the pools at the height of their readings", async () => {
    for (const height of heights()) {
      const found = await items("market_data", { height });
      for (const pool of pools.slice(0, 2)) {
        const block = await usedAt(pool, height);
        if (block === null) throw new Error("Each pool is used on the first day");
        const [value, shares] = [
          await ground.view("SharePool", pool, "totalValue", [], block),
          await ground.view("SharePool", pool, "totalSupply", [], block),
        ];
        expect(value).toBeGreaterThan(0n);
        const item = found.find(({ pool_address }) => pool_address === pool);
        expect(item, `${pool} at ${height}`).toMatchObject({
          asset_address: ground.token,
          total_supply: String(value),
          lp_token_address: pool,
          lp_token_total_supply: String(shares),
          block_height: block,
          total_borrow: null,
          borrow_rate: null,
        });
        expect(item?.total_value_locked_quote).toBeCloseTo(inDollars(value), 9);
      }
    }
  });

  it("has a supply rate: the growth of pricePerShare() since the first reading, for a year", async () => {
    for (const pool of pools.slice(0, 2)) {
      const [item] = await items("market_data", { height: head, pool });
      const [first] = await eventsOf(chain, [pool], depositEvent);
      const blocks = [first?.block ?? 0, (await usedAt(pool, head)) ?? 0];
      const [before = 0n, after = 0n] = await Promise.all(
        blocks.map((block) => ground.view("SharePool", pool, "pricePerShare", [], block)),
      );
      const [from = 0, to = 0] = await Promise.all(blocks.map((block) => timeOf(chain, block)));
      expect(after).toBeGreaterThan(before);
      const expected = ((Number(after) / Number(before) - 1) * 365 * 86_400) / (to - from);
      expect(item?.supply_rate as number).toBeCloseTo(expected, 9);
    }
  });

  it("is that of one pool with its address, and empty for any other contract", async () => {
    expect((await items("market_data", { height: head, pool: pools[1] })).map(({ pool_address }) => pool_address)).toEqual([pools[1]]);
    expect(await items("market_data", { height: head, pool: ground.token })).toEqual([]);
  });

  it("contains pools whose views revert or return the largest number", async () => {
    const found = (await items("market_data", { height: head })).filter(({ asset_address }) => asset_address !== ground.token);
    const largest = String(2n ** 256n - 1n);
    expect(found.map(({ total_supply }) => total_supply).sort()).toEqual([largest, null].sort());
    for (const item of found) expect(item).toMatchObject({ asset_address: null, total_value_locked_quote: null, supply_rate: null });
    const skipped = await test.database.query("SELECT table_name, reason FROM cq_protocol_09.skipped");
    expect(skipped).toEqual(Array(2).fill({ table_name: "deposits", reason: "Expected 64 bytes of data, found 32" }));
  });
});

/** shares × pricePerShare() / 10^18 in each pool, with the price of the pool's newest reading. */
const positionsOf = async (wallet: Address, height: number): Promise<Record<string, string>> => {
  const positions: Record<string, string> = {};
  for (const pool of pools) {
    const shares = await ground.view("SharePool", pool, "balanceOf", [wallet], height);
    if (shares === 0n) continue;
    const unit = await ground.view("SharePool", pool, "pricePerShare", [], (await usedAt(pool, height)) ?? 0);
    positions[pool] = String((shares * unit) / 10n ** 18n);
  }
  return positions;
};

describe("balances of protocol 09", () => {
  it("are shares × pricePerShare() / 10^18, at six heights", async () => {
    for (const wallet of [...ground.people, ground.collector]) {
      for (const height of heights()) {
        const found = (await items("balances", { height, wallet })).filter(({ contract_address }) => contract_address === ground.token);
        const balances = Object.fromEntries(found.map(({ pool_address, balance }) => [pool_address, balance]));
        expect(balances, `${wallet} at ${height}`).toEqual(await positionsOf(wallet, height));
        for (const { balance, quote } of found) expect(quote).toBeCloseTo(inDollars(BigInt(balance as string)), 9);
      }
    }
    expect((await items("balances", { height: head, wallet: ground.people[0] })).length).toBeGreaterThan(1);
  });

  it("are empty for an unknown wallet", async () => {
    expect(await items("balances", { height: head, wallet: ground.token })).toEqual([]);
  });
});

/** The actions of all accounts with the pools, by the node's logs. */
const allActions = async (): Promise<ExpectedAction[]> => {
  const { token } = ground;
  const deposits = await eventsOf(chain, pools, depositEvent);
  const withdrawals = await eventsOf(chain, pools, withdrawEvent);
  const transfers = (await eventsOf(chain, pools, transferEvent)).filter((event) => !isMint(event) && !isBurn(event));
  return [
    ...deposits.map((event): ExpectedAction => {
      const { owner = "", shares = "", amount = "" } = event.values;
      return {
        ...{ action: "deposit", event },
        legs: [
          [owner as Address, ["OUT", token, amount]],
          [owner as Address, ["IN", event.address, shares]],
        ],
      };
    }),
    ...withdrawals.map((event): ExpectedAction => {
      const { owner = "", shares = "", amount = "" } = event.values;
      return {
        ...{ action: "withdraw", event },
        legs: [
          [owner as Address, ["OUT", event.address, shares]],
          [owner as Address, ["IN", token, amount]],
        ],
      };
    }),
    ...transfers.map((event): ExpectedAction => {
      const { from = "", to = "", value = "" } = event.values;
      return {
        ...{ action: "transfer", event },
        legs: [
          [from as Address, ["OUT", event.address, value]],
          [to as Address, ["IN", event.address, value]],
        ],
      };
    }),
  ];
};

describe("transactions of protocol 09", () => {
  it("are the wallet's deposits, withdrawals and transfers in the node's logs, also through a router", async () => {
    const actions = await allActions();
    const seen = new Set<unknown>();
    for (const wallet of [...ground.people, ground.router]) {
      const found = (await items("transactions", { height: head, wallet })).filter(({ pool_address }) =>
        pools.includes(pool_address as Address),
      );
      expect(actionsIn(found), wallet).toEqual(await actionsOfWallet(chain, actions, wallet));
      for (const { action } of found) seen.add(action);
    }
    expect(seen).toEqual(new Set(["deposit", "withdraw", "transfer"]));
  });

  it("have the value of the amount that moved, or of the shares at the newest price", async () => {
    const [wallet] = ground.people;
    for (const item of await items("transactions", { height: head, wallet })) {
      const legs = item.amounts as { contract_address: Address; amount: string; quote: number | null }[];
      const moved = legs.find(({ contract_address }) => contract_address === ground.token);
      const pool = item.pool_address as Address;
      if (!pools.includes(pool)) continue;
      const shares = legs.find(({ contract_address }) => contract_address === pool);
      const block = (await usedAt(pool, item.block_height as number)) ?? 0;
      const unit = await ground.view("SharePool", pool, "pricePerShare", [], block);
      const amount = moved === undefined ? (BigInt(shares?.amount ?? 0) * unit) / 10n ** 18n : BigInt(moved.amount);
      expect(item.total_quote).toBeCloseTo(inDollars(amount), 9);
    }
  });

  it("continue on further pages, and are as of a block", async () => {
    const [wallet] = ground.people;
    await expectPages(items, wallet, head, head - 3);
  });
});

describe("the tables of protocol 09", () => {
  it("have one reading for each block in which a pool was used", async () => {
    const [pool] = pools;
    const used = await Promise.all([depositEvent, withdrawEvent].map((event) => eventsOf(chain, [pool], event)));
    const rows = await test.database.query<{ block_number: number; assets: string }>(
      "SELECT block_number, assets FROM cq_protocol_09.share_price WHERE contract = $1 ORDER BY block_number",
      [bytes(pool)],
    );
    const blocks = new Set(used.flat().map(({ block }) => block));
    expect(rows.map(({ block_number }) => block_number)).toEqual([...blocks].sort((left, right) => left - right));
    expect(rows.length).toBeGreaterThan(5);
    for (const { block_number, assets } of rows)
      expect(assets, `at ${block_number}`).toBe(String(await ground.view("SharePool", pool, "pricePerShare", [], block_number)));
  });
});
