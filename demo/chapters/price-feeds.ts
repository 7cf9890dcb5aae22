import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import type { MarketPrices } from "./market-prices.ts";

/** The price feeds, in dollars with eight decimals. */
export interface PriceFeeds {
  readonly ether: Address;
  readonly euro: Address;
}

const etherAnswersPerDay = 3;
/** Scales millionths of a dollar to the feeds' eight decimals. */
const perMillionth = 100n;
const openingEuro = 108_500_000n;

/** Deploys a feed for the native token, within half a percent of the market price, and one for the euro, a random walk of up to 0.3 % a day. */
export const setUpPriceFeeds = async (
  context: StoryContext,
  accounts: Accounts,
  prices: MarketPrices,
  weth: Address,
): Promise<{ feeds: PriceFeeds; dailyCalls: DailyCalls }> => {
  const { priceFeed } = context.artifacts;
  const { deployer, reporter } = accounts;
  const random = context.createRandom("price feeds");
  const ether = await context.deploy(deployer, priceFeed, ["ETH / USD", reporter]);
  const euro = await context.deploy(deployer, priceFeed, ["EUR / USD", reporter]);
  let euroAnswer = openingEuro;
  const report = (feed: Address, answer: bigint): Call => ({
    from: reporter,
    to: feed,
    data: encode(priceFeed.abi, "report", [answer]),
    gas: 150_000,
  });
  const randomNear = (answer: bigint, thousandths: number, parts: bigint): bigint =>
    (answer * (1_000n * parts + BigInt(random.between(-thousandths * Number(parts), thousandths * Number(parts))))) / (1_000n * parts);
  const etherAnswer = (): bigint => prices.rate(weth).price * perMillionth;
  await context.mine([report(ether, etherAnswer()), report(euro, euroAnswer)]);
  const dailyCalls: DailyCalls = () => {
    euroAnswer = randomNear(euroAnswer, 3, 10n);
    return [
      ...Array.from({ length: context.scaled(etherAnswersPerDay) }, () => report(ether, randomNear(etherAnswer(), 5, 10n))),
      report(euro, euroAnswer),
    ];
  };
  return { feeds: { ether, euro }, dailyCalls };
};
