import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import type { Market } from "./exchange-prices.ts";
import type { People } from "./people.ts";

/** The price feeds, in dollars with eight decimals. */
export interface PriceFeeds {
  readonly ether: Address;
  readonly euro: Address;
}

const etherAnswersPerDay = 3;
/** From millionths of a dollar to the feeds' eight decimals. */
const perMillionth = 100n;
const openingEuro = 108_500_000n;

/** Feeds for the native token, which follows the market's rate within half a percent, and for the euro, which walks by up to three thousandths a day. */
export const openPriceFeeds = async (
  stage: ChapterContext,
  people: People,
  market: Market,
  weth: Address,
): Promise<{ feeds: PriceFeeds; scene: Scene }> => {
  const { priceFeed } = stage.artifacts;
  const { deployer, reporter } = people;
  const random = stage.random("price feeds");
  const ether = await stage.deploy(deployer, priceFeed, ["ETH / USD", reporter]);
  const euro = await stage.deploy(deployer, priceFeed, ["EUR / USD", reporter]);
  let euroAnswer = openingEuro;
  const report = (feed: Address, answer: bigint): Call => ({
    from: reporter,
    to: feed,
    data: encode(priceFeed.abi, "report", [answer]),
    gas: 150_000,
  });
  const near = (answer: bigint, thousandths: number, parts: bigint): bigint =>
    (answer * (1_000n * parts + BigInt(random.between(-thousandths * Number(parts), thousandths * Number(parts))))) / (1_000n * parts);
  const etherAnswer = (): bigint => market.rate(weth).price * perMillionth;
  await stage.play([report(ether, etherAnswer()), report(euro, euroAnswer)]);
  const scene: Scene = () => {
    euroAnswer = near(euroAnswer, 3, 10n);
    return [
      ...Array.from({ length: stage.scaled(etherAnswersPerDay) }, () => report(ether, near(etherAnswer(), 5, 10n))),
      report(euro, euroAnswer),
    ];
  };
  return { feeds: { ether, euro }, scene };
};
