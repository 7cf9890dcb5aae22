import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import { readContract } from "../story/read-contract.ts";
import type { LiveAction, LiveContext } from "./live-types.ts";

const etherSeconds = 600;
const euroSeconds = 3_600;
/** The ether feed answers immediately if the price deviates by more than 1/200. */
const toleranceDivisor = 200n;

type Round = readonly [roundId: bigint, answer: bigint, startedAt: bigint, updatedAt: bigint];

/** Returns the feed answer that is due at a time (Unix seconds): the first exchange's price of ether, or the next step of the euro's random walk. */
export const dueAnswers = async ({ client, values, artifacts, random }: LiveContext, time: number): Promise<readonly LiveAction[]> => {
  const feedAbi = artifacts.priceFeed.abi;
  const ether = await readContract<Round>(client, values.etherFeed as Address, feedAbi, "latestRoundData");
  const euro = await readContract<Round>(client, values.euroFeed as Address, feedAbi, "latestRoundData");
  const reserves = await readContract<readonly [bigint, bigint]>(client, values.dollarPair as Address, artifacts.pair.abi, "getReserves");
  const [wei, dollars] = (values.wrappedNative as string) < (values.usdToken as string) ? reserves : [reserves[1], reserves[0]];
  // Dollars have 6 decimals, ether 18 and answers 8: 6 + 20 - 18 = 8.
  const poolPrice = (dollars * 10n ** 20n) / wei;
  const age = ([, , , updatedAt]: Round): number => time - Number(updatedAt);
  const deviation = poolPrice > ether[1] ? poolPrice - ether[1] : ether[1] - poolPrice;
  const report = (feed: string | undefined, answer: bigint): LiveAction => ({
    from: values.priceReporter as Address,
    to: feed as Address,
    data: encode(feedAbi, "report", [answer]),
  });
  // One answer per block, because a block has only one action per sender.
  if (age(ether) >= etherSeconds || deviation * toleranceDivisor > poolPrice) return [report(values.etherFeed, poolPrice)];
  const euroAnswer = (euro[1] * BigInt(10_000 + random.between(-5, 5))) / 10_000n;
  return age(euro) >= euroSeconds ? [report(values.euroFeed, euroAnswer)] : [];
};
