import { pino } from "pino";
import supertest from "supertest";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../../../runtime/app.ts";
import { chainConfig, config } from "../../../../runtime/config/config.ts";
import { poolsProjection } from "../../../../runtime/domains/pools/projection/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import type { Address, Hash, Hex } from "../../../../runtime/lib/hex.ts";
import { artifacts, call, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import { type ConcentratedExchange, concentratedLogs, deployConcentrated, type PoolLog } from "../../domains/pools/concentrated-support.ts";
import type { ResponseData } from "../../domains/pools/serve-pools.ts";
import {
  approve,
  deployExchange,
  mineTransactions,
  mint,
  type PairLog,
  pairLogs,
  type TestExchange,
  uniswap,
} from "../../domains/pools/support.ts";

// A token with 18 decimals at 3 dollars and one with 6 decimals at half a dollar: traded in a pair, in two concentrated pools, and in a pair of an
// unconfigured exchange.

/** One whole token with 18 decimals. */
const unit = 10n ** 18n;
const toLowerAddress = (address: string): Address => address.toLowerCase() as Address;

let chain: TestChain;
let exchange: TestExchange;
let unconfigured: TestExchange;
let ranges: ConcentratedExchange;
let test: TestDatabase;
let tokens: readonly [Address, Address];
let third: Address;
let trader: Address;
let other: Address;
let pair: Address;
let pools: readonly [Address, Address];
let sent: Record<"swap" | "add" | "remove" | "path" | "open" | "decrease" | "otherExchange" | "transfer" | "sameToken", Hash>;
let pairEvents: PairLog[];
let poolEvents: PoolLog[];
let service: { detailsOf(hash: Hash, query?: string): Promise<ResponseData>; end(): Promise<void> };

const bytes = (hex: string): Buffer => Buffer.from(hex.slice(2), "hex");
const mineTransaction = async (...args: Parameters<typeof mineTransactions>): Promise<Hash> => (await mineTransactions(...args))[0] as Hash;

/** The configuration of an exchange that is a fork. */
const forkSettings = { version: 2, fork: "Some Swap", forkVersion: 1.5 };

const serve = async (configured: boolean): Promise<typeof service> => {
  const settings = chainConfig.parse({
    name: "trade",
    id: 31337,
    rpc: "http://127.0.0.1:1",
    tokenLogos: { [tokens[0].toUpperCase().replace("0X", "0x")]: "https://logos.example/one.png" },
    exchanges: configured
      ? [
          {
            name: "swap",
            label: "The Swap",
            factory: exchange.factory,
            feePpm: 3_000,
            logoUrl: "https://logos.example/swap.png",
            ...forkSettings,
          },
          { name: "ranges", factory: ranges.factory, family: "concentrated" },
        ]
      : [],
  });
  const { key } = await createKeys(test.database).create({ label: "test" });
  const http = createApp({
    config: config.parse({}),
    chains: [{ ...settings, id: 31337 }],
    database: test.database,
    logger: pino({ level: "silent" }),
    validate: "strict",
  });
  return {
    detailsOf: async (hash, query = "with-dex=true") => {
      const response = await supertest(http.app)
        .get(`/v1/trade/transaction_v2/${hash}/?no-logs=true&${query}`)
        .set("Authorization", `Bearer ${key}`);
      expect(response.status, response.body.error_message).toBe(200);
      return response.body.data.items[0].dex_details;
    },
    end: () => http.close(),
  };
};

beforeAll(async () => {
  chain = await startTestChain();
  [trader, other] = chain.accounts.slice(1, 3).map(toLowerAddress) as [Address, Address];
  const weth = toLowerAddress(await chain.deploy(artifacts.weth()));
  exchange = await deployExchange(chain, weth);
  unconfigured = await deployExchange(chain, weth);
  ranges = await deployConcentrated(chain, weth);
  const deployed: Address[] = [];
  for (const name of ["One", "Two", "Three"])
    deployed.push(toLowerAddress(await chain.deploy(artifacts.erc20(), [name, name.toUpperCase()])));
  deployed.sort();
  [tokens, third] = [[deployed[0] as Address, deployed[1] as Address], deployed[2] as Address];
  const spenders = [exchange.router, unconfigured.router, ranges.positions, ranges.router];
  await mineTransactions(
    chain,
    deployed.flatMap((token) => [mint(token, trader, 10n ** 30n), ...spenders.map((spender) => approve(trader, token, spender))]),
  );
  const keys = [
    { tokens, fee: 3000 },
    { tokens: [tokens[1], third] as const, fee: 500 },
  ] as const;
  await mineTransactions(chain, [
    exchange.add(trader, tokens, [1_000n * unit, 6_000n * 10n ** 6n]),
    unconfigured.add(trader, tokens, [1_000n * unit, 6_000n * 10n ** 6n]),
    ...keys.map((key) => ranges.create(key, 2n ** 96n)),
  ]);
  pair = await exchange.pairOf(...tokens);
  pools = [await ranges.poolOf(keys[0]), await ranges.poolOf(keys[1])];
  const opened = await mineTransactions(chain, [
    approve(trader, pair, exchange.router),
    ranges.open(trader, keys[0], [-6_000, 6_000], [10n ** 12n, 10n ** 12n]),
    ranges.open(trader, keys[1], [-6_000, 6_000], [10n ** 12n, 10n ** 12n]),
  ]);
  sent = {
    swap: await mineTransaction(chain, [exchange.swap(trader, 2n * unit, tokens, other)]),
    add: await mineTransaction(chain, [exchange.add(trader, tokens, [10n * unit, 70n * 10n ** 6n], other)]),
    remove: await mineTransaction(chain, [exchange.remove(trader, tokens, 12_345_678_901n)]),
    path: await mineTransaction(chain, [ranges.swapPath(trader, 1_000_000n, [third, tokens[1], tokens[0]], [500, 3000])]),
    open: opened[1] as Hash,
    decrease: await mineTransaction(chain, [ranges.decrease(trader, 1n, 1_000_000n)]),
    otherExchange: await mineTransaction(chain, [unconfigured.swap(trader, 2n * unit, tokens)]),
    transfer: await mineTransaction(chain, [{ from: trader, ...call(artifacts.erc20(), tokens[0], "transfer", [pair, 1_000n]) }]),
    // The amount sent to the pair is withdrawn, except for the fee.
    sameToken: await mineTransaction(chain, [
      { from: trader, gas: 900_000n, ...call(uniswap.pair(), pair, "swap", [990n, 0n, trader, "0x"]) },
    ]),
  };
  const { timestamp } = await chain.rpc<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
  const hour = Math.floor(Number(timestamp) / 3_600);
  test = await createTestDatabase();
  const indexer = await createTestIndexer(chain.url, test.database, { projections: [tokensProjection, poolsProjection] });
  await indexer.runToHead(await chain.head());
  await indexer.close();
  // Rows that the metadata and price jobs would write: 3 dollars and half a dollar in this hour, different prices before and after.
  for (const [address, symbol, decimals] of [
    [tokens[0], "ONE", 18],
    [tokens[1], "TWO", 6],
    [third, "THREE", 0],
    [pair, "SHARE", 18],
  ] as const) {
    await test.database.query(
      "INSERT INTO token_metadata (chain_id, address, block_number, name, symbol, decimals, read_at_block) VALUES (31337, $1, 1, $2, $3, $4, 1)",
      [bytes(address), `Token ${symbol}`, symbol, decimals],
    );
  }
  for (const [asset, at, close] of [
    [tokens[0], hour - 5, "0.000000000000000009"],
    [tokens[0], hour, "0.000000000000000003"],
    [tokens[0], hour + 1, "0.000000000000000007"],
    [tokens[1], hour - 3, "0.0000005"],
  ] as const) {
    await test.database.query("INSERT INTO price_hours (chain_id, asset, hour, close) VALUES (31337, $1, $2, $3)", [
      bytes(asset),
      at,
      close,
    ]);
  }
  pairEvents = await pairLogs(chain, [pair], await chain.head());
  poolEvents = await concentratedLogs(chain, pools, await chain.head());
  service = await serve(true);
}, 60_000);
afterAll(async () => {
  await service?.end();
  await test?.drop();
  await chain?.stop();
});

const pairLog = (hash: Hash, name: string): PairLog => pairEvents.find((log) => log.transaction === hash && log.name === name) as PairLog;
const poolLogsOf = (hash: Hash, name: string): PoolLog[] => poolEvents.filter((log) => log.transaction === hash && log.name === name);
const amountOf = (log: PairLog | PoolLog | undefined, name: string): bigint => BigInt(log?.args[name] ?? -1n);
/** Truncated to two decimals, like all pretty values. */
const prettyValue = (dollars: number): string => `$${(Math.floor(dollars * 100) / 100).toFixed(2)}`;

describe("dex_details of a transaction", () => {
  it("describe a swap in a pair with its tokens, its exchange and its value at the time of the swap", async () => {
    const log = pairLog(sent.swap, "Swap");
    const bought = amountOf(log, "amount1Out");
    // Two whole tokens at 3 dollars each.
    const rate = 6 / (Number(bought) / 1e6);
    const [report, ...more] = await service.detailsOf(sent.swap);
    expect(more).toEqual([]);
    expect(report).toEqual({
      log_offset: log.index,
      protocol_name: "The Swap",
      protocol_address: exchange.factory,
      protocol_logo_url: "https://logos.example/swap.png",
      aggregator_name: null,
      aggregator_address: null,
      version: 2,
      fork_version: 1.5,
      fork: "Some Swap",
      event: "swap",
      pair_address: pair,
      pair_lp_fee_bps: 30,
      lp_token_address: pair,
      lp_token_ticker: "SHARE",
      lp_token_num_decimals: 18,
      lp_token_name: "Token SHARE",
      lp_token_value: null,
      exchange_rate_usd: expect.closeTo(rate, 9),
      token_0_address: tokens[0],
      token_0_ticker: "ONE",
      token_0_num_decimals: 18,
      token_0_name: "Token ONE",
      token_1_address: tokens[1],
      token_1_ticker: "TWO",
      token_1_num_decimals: 6,
      token_1_name: "Token TWO",
      token_0_amount: String(2n * unit),
      token_0_quote_rate: 3,
      token_0_usd_quote: 6,
      pretty_token_0_usd_quote: "$6.00",
      token_0_logo_url: "https://logos.example/one.png",
      token_1_amount: String(bought),
      token_1_quote_rate: 0.5,
      token_1_usd_quote: expect.closeTo((Number(bought) / 1e6) * 0.5, 9),
      pretty_token_1_usd_quote: prettyValue((Number(bought) / 1e6) * 0.5),
      token_1_logo_url: null,
      sender: exchange.router,
      recipient: other,
    });
  });

  it("describe liquidity changes with the LP tokens that were minted or burned", async () => {
    const [added] = await service.detailsOf(sent.add);
    const add = pairLog(sent.add, "Mint");
    const minted = pairEvents.findLast(
      (log) => log.transaction === sent.add && log.name === "Transfer" && BigInt(String(log.args.from)) === 0n,
    );
    expect(added).toMatchObject({
      log_offset: add.index,
      event: "add_liquidity",
      token_0_amount: String(amountOf(add, "amount0")),
      token_1_amount: String(amountOf(add, "amount1")),
      lp_token_value: String(amountOf(minted, "value")),
      exchange_rate_usd: null,
      sender: exchange.router,
      recipient: other,
    });
    expect(added.token_0_usd_quote).toBeCloseTo((Number(amountOf(add, "amount0")) / 1e18) * 3, 9);
    const [removed] = await service.detailsOf(sent.remove);
    const remove = pairLog(sent.remove, "Burn");
    expect(removed).toMatchObject({
      event: "remove_liquidity",
      token_0_amount: String(amountOf(remove, "amount0")),
      token_1_amount: String(amountOf(remove, "amount1")),
      lp_token_value: "12345678901",
      recipient: trader,
    });
  });

  it("describe each pool of a path with its own fee, and without values if a token has no price", async () => {
    const logs = poolLogsOf(sent.path, "Swap");
    const reports: ResponseData[] = await service.detailsOf(sent.path);
    expect(reports.map((report) => [report.log_offset, report.pair_address, report.pair_lp_fee_bps, report.protocol_name])).toEqual([
      [logs[0]?.index, pools[1], 5, "ranges"],
      [logs[1]?.index, pools[0], 30, "ranges"],
    ]);
    const size = (value: bigint): string => String(value < 0n ? -value : value);
    expect(reports.map((report) => [report.token_0_amount, report.token_1_amount])).toEqual(
      logs.map((log) => [size(amountOf(log, "amount0")), size(amountOf(log, "amount1"))]),
    );
    const [first, second] = reports;
    // The third token, which has no price, is swapped for the second.
    expect(first).toMatchObject({
      token_1_address: third,
      token_1_num_decimals: 0,
      token_1_quote_rate: null,
      token_1_usd_quote: null,
      pretty_token_1_usd_quote: null,
      exchange_rate_usd: null,
      lp_token_address: null,
      lp_token_name: null,
    });
    const [paid, bought] = [Number(amountOf(logs[1], "amount1")), Number(-amountOf(logs[1], "amount0"))];
    expect(second.exchange_rate_usd / ((paid * 0.5e-6) / (bought / 1e18))).toBeCloseTo(1, 9);
  });

  it("describe concentrated liquidity, which has no LP token", async () => {
    const [opened] = await service.detailsOf(sent.open);
    const [mintLog] = poolLogsOf(sent.open, "Mint");
    expect(opened).toMatchObject({
      event: "add_liquidity",
      pair_address: pools[0],
      token_0_amount: String(amountOf(mintLog, "amount0")),
      token_1_amount: String(amountOf(mintLog, "amount1")),
      lp_token_value: null,
      sender: ranges.positions,
      recipient: ranges.positions,
    });
    const [decreased] = await service.detailsOf(sent.decrease);
    expect(decreased).toMatchObject({
      event: "remove_liquidity",
      token_0_amount: String(amountOf(poolLogsOf(sent.decrease, "Burn")[0], "amount0")),
    });
  });

  it("contain the configured data of the exchange and its tokens", async () => {
    const [report] = await service.detailsOf(sent.swap);
    expect(report).toMatchObject({
      version: 2,
      fork: "Some Swap",
      fork_version: 1.5,
      token_0_logo_url: "https://logos.example/one.png",
      token_1_logo_url: null,
      aggregator_name: null,
      aggregator_address: null,
    });
    expect((await service.detailsOf(sent.path))[0]).toMatchObject({ version: null, fork: null, fork_version: null });
  });

  it("contain no price unless one token was exchanged for the other", async () => {
    const [report] = await service.detailsOf(sent.sameToken);
    expect(report).toMatchObject({ event: "swap", token_0_amount: "10", token_1_amount: "0", exchange_rate_usd: null });
  });

  it("are empty without actions in pools of configured exchanges", async () => {
    expect(await service.detailsOf(sent.transfer)).toEqual([]);
    expect(await service.detailsOf(sent.otherExchange)).toEqual([]);
    const unconfiguredService = await serve(false);
    expect(await unconfiguredService.detailsOf(sent.swap)).toEqual([]);
    await unconfiguredService.end();
  });

  it("are null unless requested, and while the pools of the block are not indexed", async () => {
    expect(await service.detailsOf(sent.swap, "with-dex=false")).toBeNull();
    expect(await service.detailsOf(sent.swap, "")).toBeNull();
    const swapBlock = pairLog(sent.swap, "Swap").block;
    const setCheckpoint = (block: number) =>
      test.database.query("UPDATE projection_checkpoints SET block_number = $1 WHERE projection = 'pools'", [block]);
    await setCheckpoint(swapBlock - 1);
    expect(await service.detailsOf(sent.swap)).toBeNull();
    await setCheckpoint(swapBlock);
    expect(await service.detailsOf(sent.swap)).toHaveLength(1);
    await setCheckpoint(await chain.head());
  });
});
