import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { poolsProjection } from "../../../../runtime/domains/pools/projection/index.ts";
import { createPoolQueries } from "../../../../runtime/domains/pools/queries/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { artifacts, call, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import { type ResponseData, servePools, type TestApi } from "./serve-pools.ts";
import { approve, deployExchange, mineTransactions, mint, type PairLog, pairLogs, read, type TestExchange, uniswap } from "./support.ts";

// Ten days of trades on a real exchange; the node has the state of every block.
const secondsPerDay = 86_400;
/** The first midnight after the chain's genesis at 2023-11-14T22:13:20Z. */
const firstDay = Date.UTC(2023, 10, 15) / 1000;
/** The number of blocks of each day from there. */
const blocksOfDays = [6, 5, 0, 4, 0, 0, 6, 3, 5, 4];
const million = 10n ** 24n;
const random = createRandom("ten days of trade");

let chain: TestChain;
let exchange: TestExchange;
let other: TestExchange;
let test: TestDatabase;
let api: TestApi;
let tokens: readonly [Address, Address, Address];
let toll: Address;
/** The pairs of the first two tokens, of the second and the third, and of the first and the one with a transfer fee; and a pair without swaps. */
let pairs: readonly [Address, Address, Address, Address];
let people: readonly Address[];
let head: number;
let times: number[];
let logs: PairLog[];

const lower = (address: string): Address => address.toLowerCase() as Address;
const createIndex = async (): Promise<TestDatabase> => {
  const database = await createTestDatabase();
  const indexer = await createTestIndexer(chain.url, database.database, { projections: [tokensProjection, poolsProjection] });
  await indexer.runToHead(await chain.head());
  await indexer.close();
  return database;
};

const randomTransaction = (): TestTransaction[] => {
  const from = random.pick(people);
  const [a, b, c] = tokens;
  const amount = BigInt(random.between(1, 5_000)) * 10n ** 15n;
  const candidates: TestTransaction[][] = [
    [exchange.swap(from, amount, [a, b])],
    [exchange.swap(from, amount, [b, a], random.pick(people))],
    [exchange.swap(from, amount, [a, b, c])],
    [exchange.swap(from, amount, [c, b])],
    [exchange.swap(from, amount, [a, toll])],
    [exchange.swap(from, amount, [toll, a])],
    [exchange.add(from, [a, b], [amount, amount], random.pick(people))],
    [exchange.add(from, [a, toll], [amount, amount])],
    [exchange.remove(from, [b, c], amount / 10n + 1n)],
    // Tokens are sent to the pool, and then skimmed or synced into its reserves.
    [
      { from, ...call(artifacts.erc20(), a, "transfer", [pairs[0], amount]) },
      { from, gas: 300_000n, ...call(uniswap.pair(), pairs[0], "skim", [from]) },
    ],
    [
      { from, ...call(artifacts.erc20(), b, "transfer", [pairs[0], amount]) },
      { from, gas: 300_000n, ...call(uniswap.pair(), pairs[0], "sync") },
    ],
    [{ from, ...call(artifacts.erc20(), pairs[0], "transfer", [random.pick(people), 1_000n]) }],
    // LP tokens are sent to the zero address, which does not change the pool's supply.
    [{ from, ...call(uniswap.pair(), pairs[1], "transfer", [`0x${"0".repeat(40)}`, 77n]) }],
  ];
  return random.pick(candidates);
};

beforeAll(async () => {
  chain = await startTestChain();
  people = chain.accounts.slice(1, 5).map(lower);
  const weth = lower(await chain.deploy(artifacts.weth()));
  exchange = await deployExchange(chain, weth);
  other = await deployExchange(chain, weth);
  const deployed: Address[] = [];
  for (const name of ["One", "Two", "Three"]) deployed.push(lower(await chain.deploy(artifacts.erc20(), [name, name.toUpperCase()])));
  tokens = deployed as unknown as typeof tokens;
  toll = lower(await chain.deploy(uniswap.deflating(), [5n * million]));
  const [a, b, c] = tokens;
  await mineTransactions(
    chain,
    people.flatMap((person) => [
      ...deployed.map((token) => mint(token, person, million)),
      call(artifacts.erc20(), toll, "transfer", [person, million]),
      ...[...deployed, toll].flatMap((token) => [approve(person, token, exchange.router), approve(person, token, other.router)]),
    ]),
  );
  const [first] = people as [Address];
  const factory = uniswap.factory();
  await mineTransactions(chain, [
    exchange.add(first, [a, b], [1_000n * 10n ** 18n, 3_000n * 10n ** 18n]),
    exchange.add(first, [b, c], [500n * 10n ** 18n, 500n * 10n ** 18n]),
    exchange.add(first, [a, toll], [1_000n * 10n ** 18n, 1_000n * 10n ** 18n]),
    { gas: 4_000_000n, ...call(factory, exchange.factory, "createPair", [a, c]) },
    other.add(first, [a, b], [10n ** 18n, 10n ** 18n]),
  ]);
  pairs = [await exchange.pairOf(a, b), await exchange.pairOf(b, c), await exchange.pairOf(a, toll), await exchange.pairOf(a, c)];
  await mineTransactions(chain, [
    ...people.flatMap((person) => pairs.map((pair) => approve(person, pair, exchange.router))),
    ...people.slice(1).map((person) => exchange.add(person, [b, c], [50n * 10n ** 18n, 50n * 10n ** 18n])),
    ...people.slice(1).map((person) => exchange.add(person, [a, b], [10n ** 18n, 10n ** 19n])),
  ]);
  for (const [day, blocks] of blocksOfDays.entries()) {
    // The protocol fee is on from the third day with blocks onwards.
    if (day === 3) await chain.send(call(factory, exchange.factory, "setFeeTo", [chain.accounts[9]]));
    for (let block = 0; block < blocks; block += 1) {
      await mineTransactions(
        chain,
        Array.from({ length: random.between(1, 5) }, randomTransaction).flat(),
        firstDay + day * secondsPerDay + Math.floor(((block + 1) * secondsPerDay) / (blocks + 1)),
      );
    }
  }
  head = await chain.head();
  const blocks = await chain.batch<{ timestamp: string }>(
    Array.from({ length: head + 1 }, (_, height) => ({ method: "eth_getBlockByNumber", params: [`0x${height.toString(16)}`, false] })),
  );
  times = blocks.map(({ timestamp }) => Number(timestamp));
  logs = await pairLogs(chain, pairs, head);
  test = await createIndex();
  // Emulates the token metadata job.
  for (const token of [...tokens, toll]) {
    await test.database.query(
      "INSERT INTO token_metadata (chain_id, address, block_number, name, symbol, decimals, read_at_block) VALUES (31337, $1, 1, 'Name', 'SYM', 18, 1)",
      [Buffer.from(token.slice(2), "hex")],
    );
  }
  api = await servePools(test.database, [
    { name: "swap", factory: exchange.factory },
    { name: "twin", factory: other.factory },
  ]);
}, 120_000);
afterAll(async () => {
  await api?.end();
  await test?.drop();
  await chain?.stop();
});

const swapsOf = (selected: readonly Address[], from: number, to: number) =>
  logs.filter(
    ({ name, address, block }) => name === "Swap" && selected.includes(address) && (times[block] ?? 0) >= from && (times[block] ?? 0) < to,
  );
const sum = (events: readonly PairLog[], argument: string): string =>
  String(events.reduce((total, { args }) => total + BigInt(args[argument] as bigint), 0n));
const headTime = () => times[head] ?? 0;
const tokensOf = (pair: Address) =>
  Promise.all(["token0", "token1"].map(async (name) => lower(await read<string>(chain, uniswap.pair(), pair, name, [], head))));
/** Reads a list page by page, and returns all its items. */
const allPages = async (path: string, size: number): Promise<ResponseData[]> => {
  const items: ResponseData[] = [];
  for (let number = 0; ; number += 1) {
    const data = await api.get(`${path}?page-size=${size}&page-number=${number}`);
    items.push(...data.items);
    expect(data.pagination).toMatchObject({ page_number: number, page_size: size });
    if (!data.pagination.has_more) {
      expect(data.pagination.total_count).toBe(items.length);
      return items;
    }
    expect(data.items).toHaveLength(size);
  }
};

describe("pool state", () => {
  it("has the node's reserves and supply at every height", async () => {
    const { statesAt } = createPoolQueries(test.database);
    const heights = Array.from({ length: head }, (_, position) => position + 1);
    const states = await statesAt(31337, pairs, heights);
    for (const pair of pairs) {
      const created = Number(
        await chain
          .rpc<string>("eth_getLogs", [{ fromBlock: "0x0", address: exchange.factory }])
          .then(
            (announcements) =>
              (announcements as unknown as { blockNumber: string; data: string }[]).find(({ data }) => data.includes(pair.slice(2)))
                ?.blockNumber,
          ),
      );
      for (const height of heights.filter((number) => number >= created)) {
        const state = states(pair)[height - 1];
        const [reserves, supply] = await Promise.all([
          reservesAt(pair, height),
          read<bigint>(chain, uniswap.pair(), pair, "totalSupply", [], height),
        ]);
        expect([state?.reserve0, state?.reserve1, state?.supply], `${pair} at ${height}`).toEqual(
          [reserves[0], reserves[1], supply].map(String),
        );
      }
    }
  });

  it("is divided among the holders of the LP tokens", async () => {
    for (const person of [...people, lower(chain.accounts[9] as string)]) {
      const { items } = await api.get(`week/xy=k/swap/address/${person}/balances/`);
      const expected = [];
      for (const pair of [...pairs].sort()) {
        const balance = await read<bigint>(chain, uniswap.pair(), pair, "balanceOf", [person], head);
        if (balance === 0n) continue;
        const [reserve0, reserve1] = await read<readonly [bigint, bigint, number]>(chain, uniswap.pair(), pair, "getReserves", [], head);
        const supply = await read<bigint>(chain, uniswap.pair(), pair, "totalSupply", [], head);
        expected.push([pair, balance, supply, (reserve0 * balance) / supply, (reserve1 * balance) / supply].map(String));
      }
      const actual = items.map(({ pool_token: lpToken, token_0: first, token_1: second }: ResponseData) => [
        lpToken.contract_address,
        lpToken.balance,
        lpToken.total_supply,
        first.balance,
        second.balance,
      ]);
      expect(actual).toEqual(expected);
      const { items: pools } = await api.get(`week/xy=k/address/${person}/pools/page/0/?dex-name=swap`);
      expect(pools.map((item: ResponseData) => item.exchange)).toEqual(expected.map(([pair]) => pair));
    }
  });
});

describe("the list of active pools", () => {
  it("has the pools with a swap in the seven days up to the last closed hour, with their volumes", async () => {
    const end = Math.floor(headTime() / 3_600) * 3_600;
    const active = [...pairs].sort().filter((pair) => swapsOf([pair], end - 7 * secondsPerDay, end).length > 0);
    const items = await allPages("week/xy=k/swap/pools/", 2);
    expect(items.map((item) => item.exchange)).toEqual(active);
    for (const item of items) {
      const [day, week] = [swapsOf([item.exchange], end - secondsPerDay, end), swapsOf([item.exchange], end - 7 * secondsPerDay, end)];
      expect(item.swap_count_24h).toBe(day.length);
      expect([item.token_0.contract_address, item.token_1.contract_address]).toEqual(await tokensOf(item.exchange));
      expect(item.token_0).toMatchObject({
        volume_in_24h: sum(day, "amount0In"),
        volume_out_24h: sum(day, "amount0Out"),
        volume_in_7d: sum(week, "amount0In"),
        volume_out_7d: sum(week, "amount0Out"),
      });
      expect(item.token_1).toMatchObject({
        volume_in_24h: sum(day, "amount1In"),
        volume_out_24h: sum(day, "amount1Out"),
        volume_in_7d: sum(week, "amount1In"),
        volume_out_7d: sum(week, "amount1Out"),
      });
      const height = times.filter((time) => time < end).length - 1;
      const reserves = await read<readonly [bigint, bigint, number]>(chain, uniswap.pair(), item.exchange, "getReserves", [], height);
      expect([item.token_0.reserve, item.token_1.reserve]).toEqual([String(reserves[0]), String(reserves[1])]);
    }
  });

  it("is as of the end of a requested past day", async () => {
    for (const day of [0, 1, 2, 4, 8]) {
      const end = firstDay + (day + 1) * secondsPerDay;
      const date = new Date((end - 1) * 1000).toISOString().slice(0, 10);
      const { items } = await api.get(`week/xy=k/swap/pools/?date=${date}`);
      const expected = [...pairs].sort().flatMap((pair) => {
        const [day, week] = [swapsOf([pair], end - secondsPerDay, end), swapsOf([pair], end - 7 * secondsPerDay, end)];
        return week.length === 0 ? [] : [[pair, day.length, sum(week, "amount1Out")]];
      });
      expect(
        items.map((item: ResponseData) => [item.exchange, item.swap_count_24h, item.token_1.volume_out_7d]),
        date,
      ).toEqual(expected);
    }
  });

  it("refuses days that are not indexed", async () => {
    expect((await api.request("week/xy=k/swap/pools/?date=2023-11-13")).message).toContain("on or after 2023-11-14");
    expect((await api.request("week/xy=k/swap/pools/?date=2999-01-01")).status).toBe(400);
    expect((await api.request("week/xy=k/swap/pools/?date=yesterday")).status).toBe(400);
  });
});

/** Reads a pool's reserves from the node at a height; both are 0 before its creation. */
const reservesAt = async (pair: Address, height: number): Promise<readonly [bigint, bigint]> => {
  const code = height < 0 ? "0x" : await chain.rpc<string>("eth_getCode", [pair, `0x${height.toString(16)}`]);
  if (code === "0x") return [0n, 0n];
  const [first, second] = await read<readonly [bigint, bigint, number]>(chain, uniswap.pair(), pair, "getReserves", [], height);
  return [first, second];
};

/** Midnights of the last days up to that of the head, oldest first. */
const midnights = (count: number): number[] =>
  Array.from({ length: count }, (_, position) => (Math.floor(headTime() / secondsPerDay) - count + 1 + position) * secondsPerDay);

describe("the series of a pool", () => {
  it("have 8 and 31 days, including days without trades, with the volumes and reserves of the chain", async () => {
    for (const pair of pairs) {
      const { items } = await api.get(`week/xy=k/swap/pools/address/${pair}/`);
      const [item] = items;
      expect(items).toHaveLength(1);
      const days = midnights(31);
      const expected = days.map((start) => {
        const swaps = swapsOf([pair], start, start + secondsPerDay);
        return [
          new Date(start * 1000).toISOString().replace(".000Z", "Z"),
          swaps.length,
          sum(swaps, "amount0In"),
          sum(swaps, "amount0Out"),
          sum(swaps, "amount1In"),
          sum(swaps, "amount1Out"),
        ];
      });
      const actual = item.volume_timeseries_30d.map((point: ResponseData) => [
        point.dt,
        point.swap_count_24,
        point.sum_amount0in,
        point.sum_amount0out,
        point.sum_amount1in,
        point.sum_amount1out,
      ]);
      expect(actual).toEqual(expected);
      for (const [name, month] of Object.entries(item).filter(([key]) => key.endsWith("_30d")) as [string, ResponseData[]][]) {
        expect(item[name.replace("_30d", "_7d")], name).toEqual(month.slice(-8));
      }
      for (const [position, start] of days.entries()) {
        const reserves = await reservesAt(pair, times.filter((time) => time < start + secondsPerDay).length - 1);
        const { r0_c: first, r1_c: second, dt } = item.liquidity_timeseries_30d[position];
        expect([first, second], `${pair} ${dt}`).toEqual(reserves.map(String));
        // Both tokens have 18 decimals.
        const price = reserves[0] === 0n ? -1 : Number(reserves[1]) / Number(reserves[0]);
        expect(item.price_timeseries_30d[position].price_of_token0_in_token1 ?? -1).toBeCloseTo(price, 9);
      }
      expect(item.swap_count_24h).toBe(swapsOf([pair], headTime() + 1 - secondsPerDay, headTime() + 1).length);
    }
  });

  it("are refused for more pools than a response can hold", async () => {
    // 62 rows are the days of two months; the first token has three pools.
    const limitedApi = await servePools(test.database, [{ name: "swap", factory: exchange.factory }], undefined, { answerRows: 62 });
    const path = `week/xy=k/swap/tokens/address/${tokens[0]}/`;
    expect((await limitedApi.request(`${path}?page-size=3`)).message).toContain("Invalid value 3 for page-size: expected at most 2 pools");
    expect((await limitedApi.get(`${path}?page-size=2`)).items).toHaveLength(2);
    expect((await limitedApi.get(`${path}?page-size=100&page-number=1`)).items).toHaveLength(0);
    await limitedApi.end();
  });

  it("are the same in the list of a token's pools", async () => {
    const items = await allPages(`week/xy=k/swap/tokens/address/${tokens[0]}/`, 2);
    expect(items.map((item) => item.exchange)).toEqual([pairs[0], pairs[2], pairs[3]].sort());
    for (const item of items) expect(item).toEqual((await api.get(`week/xy=k/swap/pools/address/${item.exchange}/`)).items[0]);
  });
});

describe("the tokens of an exchange", () => {
  /** The volume and the number of swaps of a token in its pools. */
  const volumeOf = async (token: Address, from: number, to: number) => {
    let [volume, swaps] = [0n, 0];
    const transactions = new Set<string>();
    for (const pair of pairs) {
      const side = (await tokensOf(pair)).indexOf(token);
      if (side < 0) continue;
      const pairSwaps = swapsOf([pair], from, to);
      volume += BigInt(sum(pairSwaps, `amount${side}In`)) + BigInt(sum(pairSwaps, `amount${side}Out`));
      swaps += pairSwaps.length;
      for (const { transaction } of pairSwaps) transactions.add(transaction);
    }
    return { volume: String(volume), swaps, transactions: transactions.size };
  };
  const reserveOf = async (token: Address, height: number): Promise<string> => {
    let total = 0n;
    for (const pair of pairs) {
      const side = (await tokensOf(pair)).indexOf(token);
      total += (await reservesAt(pair, height))[side] ?? 0n;
    }
    return String(total);
  };

  it("are listed by address with their volumes and reserves", async () => {
    const end = Math.floor(headTime() / 3_600) * 3_600;
    const items = await allPages("week/xy=k/swap/tokens/", 3);
    expect(items.map((item) => item.contract_address)).toEqual([...tokens, toll].sort());
    for (const item of items) {
      const traded = await volumeOf(item.contract_address, end - secondsPerDay, end);
      expect([item.total_volume_24h, item.swap_count_24h]).toEqual([traded.volume, traded.swaps]);
      expect(item.total_liquidity).toBe(await reserveOf(item.contract_address, times.filter((time) => time < end).length - 1));
    }
  });

  it("have series of 31 days", async () => {
    for (const token of [...tokens, toll]) {
      const [item] = (await api.get(`week/xy=k/swap/tokens/address/${token}/view/`)).items;
      const traded = await volumeOf(token, headTime() + 1 - secondsPerDay, headTime() + 1);
      expect([item.total_volume_24h, item.swap_count_24h, item.transactions_24h]).toEqual([
        traded.volume,
        traded.swaps,
        traded.transactions,
      ]);
      expect(item.volume_timeseries_7d).toEqual(item.volume_timeseries_30d.slice(-8));
      for (const [position, start] of midnights(31).entries()) {
        expect(item.volume_timeseries_30d[position].total_volume).toBe((await volumeOf(token, start, start + secondsPerDay)).volume);
        const height = times.filter((time) => time < start + secondsPerDay).length - 1;
        expect(item.liquidity_timeseries_30d[position].total_liquidity).toBe(await reserveOf(token, height));
      }
    }
  });

  it("add up to the exchange's days", async () => {
    const [item] = (await api.get("week/xy=k/swap/ecosystem/")).items;
    expect(item.total_swaps_24h).toBe(swapsOf(pairs, headTime() + 1 - secondsPerDay, headTime() + 1).length);
    expect(item.total_active_pairs_7d).toBe(
      new Set(swapsOf(pairs, headTime() + 1 - 7 * secondsPerDay, headTime() + 1).map(({ address }) => address)).size,
    );
    expect(item.volume_chart_30d.map((point: ResponseData) => point.swap_count_24)).toEqual(
      midnights(31).map((start) => swapsOf(pairs, start, start + secondsPerDay).length),
    );
    expect(item.volume_chart_7d).toEqual(item.volume_chart_30d.slice(-8));
    expect(item.liquidity_chart_7d).toHaveLength(8);
  });
});

describe("pool actions", () => {
  const actionsOf = (selected: readonly Address[]) =>
    logs.filter(({ name, address }) => ["Swap", "Mint", "Burn"].includes(name) && selected.includes(address)).reverse();
  const actNames: Record<string, string> = { Swap: "SWAP", Mint: "ADD_LIQUIDITY", Burn: "REMOVE_LIQUIDITY" };
  const fieldsOf = (items: readonly ResponseData[]) =>
    items.map((item) => [
      item.tx_hash,
      item.act,
      item.amount_0,
      item.amount_1,
      item.amount_0_in,
      item.amount_0_out,
      item.amount_1_in,
      item.amount_1_out,
      item.sender_address,
    ]);
  const expectedActions = (expectedLogs: readonly PairLog[]) =>
    expectedLogs.map(({ transaction, name, args }) => {
      const text = (argument: string) => (args[argument] === undefined ? null : String(args[argument]));
      const [in0, out0, in1, out1] = ["amount0In", "amount0Out", "amount1In", "amount1Out"].map(text);
      return [transaction, actNames[name], text("amount0"), text("amount1"), in0, out0, in1, out1, lower(String(args.sender))];
    });

  it("are listed newest first, page by page, for an exchange, a pool or a token", async () => {
    expect(fieldsOf(await allPages("week/xy=k/swap/transactions/", 7))).toEqual(expectedActions(actionsOf(pairs)));
    expect(fieldsOf(await allPages("week/xy=k/swap/transactions/", 1000))).toEqual(expectedActions(actionsOf(pairs)));
    for (const pair of pairs)
      expect(fieldsOf(await allPages(`week/xy=k/swap/pools/address/${pair}/transactions/`, 5))).toEqual(expectedActions(actionsOf([pair])));
    for (const token of tokens) {
      const tokenPairs: Address[] = [];
      for (const pair of pairs) if ((await tokensOf(pair)).includes(token)) tokenPairs.push(pair);
      expect(fieldsOf(await allPages(`week/xy=k/swap/tokens/address/${token}/transactions/`, 6))).toEqual(
        expectedActions(actionsOf(tokenPairs)),
      );
    }
  });

  it("are listed for their sender and for their receiver", async () => {
    const senders = new Map<string, Address>();
    for (const { transaction } of actionsOf(pairs)) {
      senders.set(transaction, lower((await chain.rpc<{ from: string }>("eth_getTransactionByHash", [transaction])).from));
    }
    for (const account of [...people, exchange.router]) {
      const items = await allPages(`week/xy=k/swap/address/${account}/transactions/`, 9);
      // The event of a deposit does not contain the receiver.
      const expectedLogs = actionsOf(pairs).filter(({ transaction, name, args, address, block, index }) => {
        const minted =
          name === "Mint"
            ? logs
                .filter(
                  (log) =>
                    log.name === "Transfer" &&
                    log.address === address &&
                    log.block === block &&
                    log.index < index &&
                    BigInt(String(log.args.from)) === 0n,
                )
                .at(-1)?.args.to
            : args.to;
        return [senders.get(transaction), lower(String(args.sender)), lower(String(minted))].includes(account);
      });
      expect(fieldsOf(items)).toEqual(expectedActions(expectedLogs));
      expect(items.every((item) => item.address === account)).toBe(true);
    }
    expect((await api.get(`week/xy=k/swap/address/0x${"9".repeat(40)}/transactions/`)).items).toEqual([]);
  });

  it("name the recipient of the shares as the receiver of added liquidity", async () => {
    const items = await allPages(`week/xy=k/swap/pools/address/${pairs[0]}/transactions/`, 1000);
    const adds = actionsOf([pairs[0]]).filter(({ name }) => name === "Mint");
    const receivers = adds.map(({ block, index }) =>
      lower(
        String(
          logs
            .filter(
              (log) =>
                log.name === "Transfer" &&
                log.address === pairs[0] &&
                log.block === block &&
                log.index < index &&
                BigInt(String(log.args.from)) === 0n,
            )
            .at(-1)?.args.to,
        ),
      ),
    );
    expect(items.filter(({ act }) => act === "ADD_LIQUIDITY").map((item) => item.to_address)).toEqual(receivers);
  });
});

describe("pools that catch up from the stored ledger", () => {
  it("are returned as of the checkpoint", async () => {
    const partial = await createIndex();
    // The checkpoint is at noon of the seventh day, which has trades.
    const checkpoint = times.filter((time) => time < firstDay + 6 * secondsPerDay + secondsPerDay / 2).length - 1;
    for (const { name } of poolsProjection.tables)
      await partial.database.query(`DELETE FROM ${name} WHERE block_number > $1`, [checkpoint]);
    await partial.database.query("UPDATE projection_checkpoints SET block_number = $1 WHERE projection = 'pools'", [checkpoint]);
    const early = await servePools(partial.database, [{ name: "swap", factory: exchange.factory }]);
    const end = (times[checkpoint] ?? 0) + 1;
    const swaps = swapsOf([pairs[0]], end - secondsPerDay, end);
    expect(swaps.length).toBeGreaterThan(0);
    const [item] = (await early.get(`week/xy=k/swap/pools/address/${pairs[0]}/`)).items;
    expect([item.swap_count_24h, item.token_0.volume_in_24h]).toEqual([swaps.length, sum(swaps, "amount0In")]);
    const today = new Date(Math.floor(end / secondsPerDay) * secondsPerDay * 1000).toISOString().replace(".000Z", "Z");
    expect(item.volume_timeseries_30d.at(-1).dt).toBe(today);
    expect((await early.get("week/xy=k/swap/ecosystem/")).items[0].total_swaps_24h).toBe(swapsOf(pairs, end - secondsPerDay, end).length);
    expect((await early.get("week/xy=k/swap/pools/")).items.length).toBeGreaterThan(0);
    expect((await early.get("week/xy=k/swap/health/")).items).toMatchObject([
      { synced_block_height: checkpoint, latest_block_height: head },
    ]);
    await partial.database.query("DELETE FROM projection_checkpoints WHERE projection = 'pools'");
    for (const { name } of poolsProjection.tables) await partial.database.query(`DELETE FROM ${name}`);
    for (const list of ["pools", "tokens", "transactions", "ecosystem"]) {
      expect(await early.request(`week/xy=k/swap/${list}/`), list).toMatchObject({
        status: 503,
        message: `Exchange pools are being rebuilt: no block of ${head} yet. Retry later.`,
      });
    }
    await early.end();
    await partial.drop();
  });
});

describe("exchanges", () => {
  it("have only their own pools", async () => {
    expect(await allPages("week/xy=k/twin/transactions/", 10)).toHaveLength(1);
    const pair = await other.pairOf(tokens[0], tokens[1]);
    expect((await api.get(`week/xy=k/address/${pair}/dex_name/`)).items).toMatchObject([{ dex_name: "twin", swap_fee: 0.003 }]);
    expect((await api.get(`week/xy=k/address/${pairs[0].toUpperCase().replace("X", "x")}/dex_name/`)).items).toMatchObject([
      { dex_name: "swap", factory_contract_address: exchange.factory },
    ]);
    const { items } = await api.get(`week/xy=k/tokens/address/${tokens[0]}/pools/page/0/`);
    expect(items.map((item: ResponseData) => [item.exchange, item.dex_name])).toEqual(
      [
        [pairs[0], "swap"],
        [pairs[2], "swap"],
        [pairs[3], "swap"],
        [pair, "twin"],
      ].sort(),
    );
    expect((await api.get(`week/xy=k/tokens/address/${tokens[0]}/pools/page/0/?dex-name=twin`)).items).toHaveLength(1);
    expect((await api.get(`week/xy=k/address/${people[0]}/pools/page/0/?dex-name=swap&token-address=${toll}`)).items).toHaveLength(1);
  });

  it("are returned as the factories of the pools that sent logs", async () => {
    const factoriesOf = async (path: string) =>
      new Set((await api.get(`week/${path}`)).items.map((item: ResponseData) => `${item.sender_address} ${item.sender_factory_address}`));
    const twin = await other.pairOf(tokens[0], tokens[1]);
    expect(await factoriesOf(`events/address/${pairs[0]}/?starting-block=0&page-size=5`)).toEqual(
      new Set([`${pairs[0]} ${exchange.factory}`]),
    );
    expect(await factoriesOf(`events/address/${twin}/?starting-block=0&page-size=5`)).toEqual(new Set([`${twin} ${other.factory}`]));
    expect(await factoriesOf(`events/address/${tokens[0]}/?starting-block=0&page-size=5`)).toEqual(new Set([`${tokens[0]} null`]));
  });

  it("are listed with their checkpoints", async () => {
    expect((await api.get("xy=k/supported_dexes/")).items.map((item: ResponseData) => [item.chain_id, item.dex_name])).toEqual([
      ["31337", "swap"],
      ["31337", "twin"],
    ]);
    const [health] = (await api.get("week/xy=k/swap/health/")).items;
    expect(health).toMatchObject({ synced_block_height: head, latest_block_height: head });
  });

  const nobody = `0x${"7".repeat(40)}`;
  it.each([
    ["week/xy=k/unknown/pools/", "configured exchanges: swap, twin"],
    ["week/xy=k/unknown/transactions/", "is not configured on week"],
    ["week/xy=k/unknown/health/", "is not configured"],
    ["week/xy=k/unknown/ecosystem/", "is not configured"],
    ["week/xy=k/unknown/tokens/", "is not configured"],
    [`week/xy=k/unknown/address/${nobody}/balances/`, "is not configured"],
    [`week/xy=k/tokens/address/${nobody}/pools/page/0/?dex-name=unknown`, "is not configured"],
    [`week/xy=k/address/${nobody}/dex_name/`, `Pool ${nobody}`],
    [`week/xy=k/swap/pools/address/${nobody}/`, `Pool ${nobody}`],
    [`week/xy=k/swap/pools/address/${nobody}/transactions/`, `Pool ${nobody}`],
    [`week/xy=k/swap/tokens/address/${nobody}/`, `Token ${nobody}`],
    [`week/xy=k/swap/tokens/address/${nobody}/view/`, `Token ${nobody}`],
    [`week/xy=k/swap/tokens/address/${nobody}/transactions/`, `Token ${nobody}`],
    [`week/xy=k/tokens/address/${nobody}/pools/page/0/`, `Token ${nobody}`],
  ])("are not found if they are unknown: %s", async (path, message) => {
    const response = await api.request(path);
    expect([response.status, response.message]).toEqual([404, expect.stringContaining(message)]);
  });

  it("return 404 for a pool of another exchange, and empty lists for unknown accounts", async () => {
    const pair = await other.pairOf(tokens[0], tokens[1]);
    expect((await api.request(`week/xy=k/swap/pools/address/${pair}/`)).status).toBe(404);
    expect((await api.get(`week/xy=k/address/${nobody}/pools/page/0/`)).pagination).toMatchObject({ total_count: 0, has_more: false });
    expect((await api.get(`week/xy=k/swap/address/${nobody}/balances/`)).items).toEqual([]);
    expect((await api.get(`week/xy=k/swap/transactions/?page-number=5000`)).items).toEqual([]);
    expect((await api.request("week/xy=k/swap/transactions/?page-size=0")).status).toBe(400);
  });
});
