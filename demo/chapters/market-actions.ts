import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import type { Artifact } from "../contracts/artifact.ts";
import { encode, encodeTransfer } from "../story/encode.ts";
import type { Random } from "../story/random.ts";
import type { Call, StoryContext } from "../story/types.ts";

/** A market of a token, or of the native token. */
export interface StoryMarket {
  readonly address: Address;
  readonly artifact: Artifact;
  readonly asset: Address;
  /** The price of the smallest unit of the asset in dollars, times 10^36. */
  readonly price: bigint;
  /** The initial amount of the asset for one smallest unit of the market's token, times 10^18. */
  readonly initialExchangeRate: bigint;
}

/** The actions of accounts in the markets of one protocol. Each returns calls that succeed, or none if the action is not possible. */
export interface MarketActions {
  /** Mints for a random share, in thousandths, of the owner's balance. */
  mint(market: StoryMarket, owner: Address, share?: readonly [number, number]): Call[];
  redeem(market: StoryMarket, owner: Address): Call[];
  /** Borrows a share, in thousandths, of the value that the owner has supplied, if the supply is at least `coverage` times the debt. */
  borrow(market: StoryMarket, owner: Address, thousandths: bigint, coverage?: bigint): Call[];
  repay(market: StoryMarket, owner: Address): Call[];
  transfer(market: StoryMarket, from: Address, to: Address): Call[];
  /** Repays a part of a debt and seizes tokens of the other market, while the administrator sets a higher price for the debt's asset. */
  liquidate(registry: Address, debt: StoryMarket, collateral: StoryMarket, borrower: Address, liquidator: Address): Call[];
}

const gas = 600_000;
/** The share of an owner's balance that a mint moves, in thousandths. */
const mintShare = [10, 50] as const;
/** Collateral is worth at least this many times the debt, so that interest never makes an action fail. */
const minCoverage = 3n;

/** Creates the actions. They track lower bounds of supplies and the principal of debts, so that their calls succeed. */
export const createMarketActions = (
  context: StoryContext,
  markets: readonly StoryMarket[],
  admin: Address,
  random: Random,
): MarketActions => {
  const { holdings, artifacts } = context;
  const supplied = createAmounts();
  const owed = createAmounts();
  const cash = createAmounts();
  const valueIn = (amounts: Amounts, owner: Address): bigint =>
    markets.reduce((sum, market) => sum + amounts.get(market, owner) * market.price, 0n);
  const cashOf = (market: StoryMarket): bigint => cash.get(market, market.address);
  const call = (from: Address, { address, artifact }: StoryMarket, name: string, args: readonly unknown[] = []): Call => ({
    from,
    to: address,
    data: encode(artifact.abi, name, args),
    gas,
  });
  const pay = (from: Address, market: StoryMarket, name: string, amount: bigint): Call =>
    market.asset === nativeTokenAddress ? { ...call(from, market, name), value: amount } : call(from, market, name, [amount]);
  const isCovered = (owner: Address, removed: bigint, added: bigint, coverage = minCoverage): boolean =>
    valueIn(supplied, owner) - removed >= coverage * (valueIn(owed, owner) + added);

  return {
    mint: (market, owner, share = mintShare) => {
      const amount = holdings.spend(market.asset, owner, random, share);
      if (amount === 0n) return [];
      supplied.add(market, owner, (amount * 999n) / 1000n);
      cash.add(market, market.address, amount);
      return [pay(owner, market, "mint", amount)];
    },
    redeem: (market, owner) => {
      const amount = (supplied.get(market, owner) * BigInt(random.between(50, 250))) / 1000n;
      if (amount === 0n || amount * 4n > cashOf(market) || !isCovered(owner, amount * market.price, 0n)) return [];
      supplied.add(market, owner, -amount);
      cash.add(market, market.address, -amount);
      holdings.receive(market.asset, owner, amount);
      return [call(owner, market, "redeemUnderlying", [amount])];
    },
    borrow: (market, owner, thousandths, coverage) => {
      const amount = (valueIn(supplied, owner) * thousandths) / 1000n / market.price;
      if (amount === 0n || amount * 3n > cashOf(market) || !isCovered(owner, 0n, amount * market.price, coverage)) return [];
      owed.add(market, owner, amount);
      cash.add(market, market.address, -amount);
      holdings.receive(market.asset, owner, amount);
      return [call(owner, market, "borrow", [amount])];
    },
    repay: (market, owner) => {
      const amount = (owed.get(market, owner) * BigInt(random.between(200, 600))) / 1000n;
      if (amount === 0n || holdings.balanceOf(market.asset, owner) < amount) return [];
      holdings.deduct(market.asset, owner, amount);
      owed.add(market, owner, -amount);
      cash.add(market, market.address, amount);
      return [pay(owner, market, "repayBorrow", amount)];
    },
    transfer: (market, from, to) => {
      const amount = supplied.get(market, from) / 50n;
      // The exchange rate only rises: the tokens are worth at most twice as much as at the start.
      const tokens = (amount * 10n ** 18n) / market.initialExchangeRate / 2n;
      if (tokens === 0n || !isCovered(from, amount * market.price, 0n)) return [];
      supplied.add(market, from, -amount);
      return [{ from, to: market.address, data: encodeTransfer(to, tokens), gas }];
    },
    liquidate: (registry, debt, collateral, borrower, liquidator) => {
      const amount = (owed.get(debt, borrower) * 3n) / 10n;
      if (amount === 0n || holdings.balanceOf(debt.asset, liquidator) < amount) return [];
      holdings.deduct(debt.asset, liquidator, amount);
      owed.add(debt, borrower, -amount);
      cash.add(debt, debt.address, amount);
      const setPrice = (price: bigint): Call => ({
        from: admin,
        to: registry,
        data: encode(artifacts.marketRegistry.abi, "setPrice", [debt.address, price]),
        gas: 80_000,
      });
      return [
        setPrice((debt.price * 3n) / 2n),
        call(liquidator, debt, "liquidateBorrow", [borrower, amount, collateral.address]),
        setPrice(debt.price),
      ];
    },
  };
};

/** Amounts by market and owner. */
interface Amounts {
  get(market: StoryMarket, owner: Address): bigint;
  add(market: StoryMarket, owner: Address, amount: bigint): void;
}

const createAmounts = (): Amounts => {
  const amounts = new Map<string, bigint>();
  const get: Amounts["get"] = ({ address }, owner) => amounts.get(address + owner) ?? 0n;
  return { get, add: (market, owner, amount) => void amounts.set(market.address + owner, get(market, owner) + amount) };
};
