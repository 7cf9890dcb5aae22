import { numberToHex, pad } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import { artifacts, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { approve, deployExchange, emit, mineTransactions, mint, type TestExchange } from "../pools/support.ts";
import { type Pricing, pricedChain, startPricing } from "./support.ts";

let chain: TestChain;
let testDatabase: TestDatabase;
let pricing: Pricing;
let exchange: TestExchange;
let usd: Address;
let token: Address;
const feed: Address = "0x00000000000000000000000000000000000feed1";
const euro: Address = "0x00000000000000000000000000000000000feed2";
const unit = 10n ** 18n;
const midnight = Date.UTC(2030, 0, 1) / 1000;

/** Emits Chainlink's AnswerUpdated(int256 indexed current, uint256 indexed roundId, uint256 updatedAt). */
const emitAnswer = (aggregator: Address, value: bigint) =>
  emit(
    chain,
    aggregator,
    ["0x0559884fd3a460db3073b7fc896cc77986f16e378210ded43186175bf646fc5f", pad(numberToHex(value)), pad("0x1")],
    pad("0x2") as Hex,
  );
const setNextBlockTime = async (time: number): Promise<void> => void (await chain.rpc("evm_setNextBlockTimestamp", [time]));
const hours = (asset: string) =>
  testDatabase.database.query<{ hour: number; open: string; high: string; low: string; close: string }>(
    "SELECT hour - $2::int4 AS hour, open, high, low, close FROM price_hours WHERE asset = decode($1, 'hex') ORDER BY hour",
    [asset.slice(2), midnight / 3600],
  );

beforeAll(async () => {
  chain = await startTestChain();
  testDatabase = await createTestDatabase();
  const [owner] = chain.accounts as [Address];
  const weth = (await chain.deploy(artifacts.erc20(), ["Wrapped", "W"])).toLowerCase() as Address;
  exchange = await deployExchange(chain, weth);
  usd = (await chain.deploy(artifacts.erc20(), ["Dollar", "USD"])).toLowerCase() as Address;
  token = (await chain.deploy(artifacts.erc20(), ["Token", "T"])).toLowerCase() as Address;
  await mineTransactions(chain, [mint(usd, owner, 10n ** 9n * unit), mint(token, owner, 10n ** 9n * unit)]);
  await mineTransactions(chain, [approve(owner, usd, exchange.router), approve(owner, token, exchange.router)]);
  await setNextBlockTime(midnight);
  await emitAnswer(feed, 2_000_00000000n);
  await setNextBlockTime(midnight + 60);
  await emitAnswer(euro, 1_25000000n);
  await setNextBlockTime(midnight + 3600);
  await mineTransactions(chain, [exchange.addLiquidity(owner, [usd, token], [40_000n * unit, 10_000n * unit])]);
  await setNextBlockTime(midnight + 2 * 3600);
  await mineTransactions(chain, []);
  pricing = await startPricing(
    chain,
    testDatabase.database,
    pricedChain({
      exchanges: [{ name: "swap", factory: exchange.factory, feePpm: 3000 }],
      prices: {
        feeds: [
          { of: "native", aggregators: [feed] },
          { of: "EUR", aggregators: [euro] },
        ],
        stablecoins: [{ token: usd }],
      },
    }),
  );
}, 60_000);

afterAll(async () => {
  await pricing?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

describe("prices of an index", () => {
  it("are computed from feed answers and pool reserves, per smallest unit", async () => {
    await pricing.computeAll();
    expect(await hours(nativeTokenAddress)).toEqual([
      { hour: 0, open: "0.000000000000002", high: "0.000000000000002", low: "0.000000000000002", close: "0.000000000000002" },
    ]);
    expect(await hours("0x455552")).toMatchObject([{ hour: 0, close: "1.25" }]);
    // 40,000 dollars for 10,000 tokens: 4 dollars, divided by 10^18 per smallest unit.
    expect(await hours(token)).toMatchObject([{ hour: 1, open: "0.000000000000000004", close: "0.000000000000000004" }]);
  });
});
