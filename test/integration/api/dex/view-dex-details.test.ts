import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Hash } from "../../../../runtime/lib/hex.ts";
import type { PoolLog } from "../../domains/pools/concentrated-support.ts";
import type { ResponseData } from "../../domains/pools/serve-pools.ts";
import type { PairLog } from "../../domains/pools/support.ts";
import {
  chain,
  concentrated,
  exchange,
  pair,
  pairEvents,
  poolEvents,
  pools,
  recipient,
  sent,
  serve,
  service,
  setUp,
  tearDown,
  testDatabase,
  tokens,
  trader,
  unit,
  unpricedToken,
} from "./trade.ts";

const pairLog = (hash: Hash, name: string): PairLog => pairEvents.find((log) => log.transaction === hash && log.name === name) as PairLog;
const poolLogsOf = (hash: Hash, name: string): PoolLog[] => poolEvents.filter((log) => log.transaction === hash && log.name === name);
const amountOf = (log: PairLog | PoolLog | undefined, name: string): bigint => BigInt(log?.args[name] ?? -1n);
/** Truncated to two decimals, like all pretty values. */
const prettyValue = (dollars: number): string => `$${(Math.floor(dollars * 100) / 100).toFixed(2)}`;

beforeAll(setUp, 60_000);
afterAll(tearDown);

describe("a transaction's dex_details", () => {
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
      recipient,
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
      recipient,
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

  it("describe each pool in a path with its own fee, and have null values if a token has no price", async () => {
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
    // The third token, without a price, is swapped for the second.
    expect(first).toMatchObject({
      token_1_address: unpricedToken,
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

  it("describe concentrated liquidity, without an LP token", async () => {
    const [opened] = await service.detailsOf(sent.open);
    const [mintLog] = poolLogsOf(sent.open, "Mint");
    expect(opened).toMatchObject({
      event: "add_liquidity",
      pair_address: pools[0],
      token_0_amount: String(amountOf(mintLog, "amount0")),
      token_1_amount: String(amountOf(mintLog, "amount1")),
      lp_token_value: null,
      sender: concentrated.positionManager,
      recipient: concentrated.positionManager,
    });
    const [decreased] = await service.detailsOf(sent.decrease);
    expect(decreased).toMatchObject({
      event: "remove_liquidity",
      token_0_amount: String(amountOf(poolLogsOf(sent.decrease, "Burn")[0], "amount0")),
    });
  });

  it("contain the configured data for the exchange and its tokens", async () => {
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

  it("are empty without actions in configured exchanges' pools", async () => {
    expect(await service.detailsOf(sent.transfer)).toEqual([]);
    expect(await service.detailsOf(sent.otherExchange)).toEqual([]);
    const unconfiguredService = await serve(false);
    expect(await unconfiguredService.detailsOf(sent.swap)).toEqual([]);
    await unconfiguredService.end();
  });

  it("are null unless requested, and while the block's pools are not indexed", async () => {
    expect(await service.detailsOf(sent.swap, "with-dex=false")).toBeNull();
    expect(await service.detailsOf(sent.swap, "")).toBeNull();
    const swapBlock = pairLog(sent.swap, "Swap").block;
    const setCheckpoint = (block: number) =>
      testDatabase.database.query("UPDATE projection_checkpoints SET block_number = $1 WHERE projection = 'pools'", [block]);
    await setCheckpoint(swapBlock - 1);
    expect(await service.detailsOf(sent.swap)).toBeNull();
    await setCheckpoint(swapBlock);
    expect(await service.detailsOf(sent.swap)).toHaveLength(1);
    await setCheckpoint(await chain.head());
  });
});
