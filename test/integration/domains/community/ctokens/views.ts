import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../../support/chain.ts";
import { timeOf } from "../operations.ts";
import type { CToken } from "./market.ts";

const secondsPerYear = 31_536_000;
const secondsPerMonth = 30 * 86_400;

/** What a market function returns at a height. */
export type MarketView = (market: CToken, name: string, args: readonly unknown[], height: number) => Promise<bigint>;

/** A market's amounts. */
export const marketAt = async (view: MarketView, market: CToken, height: number) => {
  const read = (name: string): Promise<bigint> => view(market, name, [], height);
  const [tokens, rate, borrows] = [await read("totalSupply"), await read("exchangeRateStored"), await read("totalBorrows")];
  const [cash, reserves] = [await read("getCash"), await read("totalReserves")];
  const utilization = borrows === 0n ? 0 : Number(borrows) / Number(cash + borrows - reserves);
  return { tokens, borrows, cash, supply: (tokens * rate) / 10n ** 18n, utilization };
};

/** An account's tokens at the stored exchange rate, and its stored debt. */
export const positionAt = async (view: MarketView, market: CToken, wallet: Address, height: number) => {
  const tokens = await view(market, "balanceOf", [wallet], height);
  return {
    supplied: (tokens * (await view(market, "exchangeRateStored", [], height))) / 10n ** 18n,
    borrowed: await view(market, "borrowBalanceStored", [wallet], height),
    holdsTokens: tokens > 0n,
  };
};

/** The newest block up to a height in which a market accrued interest; 0 if there is none. */
const lastAccrualBlock = async (chain: Pick<TestChain, "rpc">, { address }: CToken, height: number): Promise<number> => {
  // keccak256 of AccrueInterest(uint256,uint256,uint256,uint256) and of AccrueInterest(uint256,uint256,uint256).
  const topics = [
    [
      "0x4dec04e750ca11537cabcd8a9eab06494de08da3735bc8871cd41250e190bc04",
      "0x875352fb3fadeb8c0be7cbbe8ff761b308fa7033470cd0287f02f3436fd76cb9",
    ],
  ];
  const filter = { fromBlock: "0x0", toBlock: `0x${height.toString(16)}`, address, topics };
  const logs = await chain.rpc<{ blockNumber: Hex }[]>("eth_getLogs", [filter]);
  return Number(logs.at(-1)?.blockNumber ?? 0);
};

/** The blocks in 365 days at the average of the 30 days before a block. */
export const blocksPerYearAt = async (chain: Pick<TestChain, "rpc">, height: number): Promise<number> => {
  const time = await timeOf(chain, height);
  let first = height;
  while (first > 0 && (await timeOf(chain, first - 1)) >= time - secondsPerMonth) first -= 1;
  return ((height - first) * secondsPerYear) / (time - (await timeOf(chain, first)));
};

/** A market's simple annual rates: the rates per block after the newest accrual, times the blocks per year. */
export const ratesAt = async (chain: Pick<TestChain, "rpc">, view: MarketView, market: CToken, height: number, blocksPerYear: number) => {
  const block = (await lastAccrualBlock(chain, market, height)) || height;
  const rateOf = async (name: string): Promise<number> => (Number(await view(market, name, [], block)) / 1e18) * blocksPerYear;
  return { supply_rate: await rateOf("supplyRatePerBlock"), borrow_rate: await rateOf("borrowRatePerBlock") };
};
