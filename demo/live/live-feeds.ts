import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import { readContract } from "../story/read-contract.ts";
import type { LiveAction, LiveContext } from "./live-types.ts";

const etherSeconds = 600;
const euroSeconds = 3_600;
/** A deviation of the ether price above 1/200 is answered at once. */
const minDifference = 200n;

type Round = readonly [roundId: bigint, answer: bigint, startedAt: bigint, updatedAt: bigint];

/** The feeds' answers that are due in a block at this time (Unix seconds): the ether's is what the first exchange pays, the euro's walks. */
export const dueAnswers = async ({ client, cast, artifacts, random }: LiveContext, time: number): Promise<readonly LiveAction[]> => {
  const feedAbi = artifacts.priceFeed.abi;
  const ether = await readContract<Round>(client, cast.etherFeed as Address, feedAbi, "latestRoundData");
  const euro = await readContract<Round>(client, cast.euroFeed as Address, feedAbi, "latestRoundData");
  const reserves = await readContract<readonly [bigint, bigint]>(client, cast.dollarPair as Address, artifacts.pair.abi, "getReserves");
  const [weis, dollars] = (cast.wrappedNative as string) < (cast.usdToken as string) ? reserves : [reserves[1], reserves[0]];
  // A dollar has 6 decimals, an ether 18, an answer 8.
  const paid = (dollars * 10n ** 20n) / weis;
  const age = ([, , , updatedAt]: Round): number => time - Number(updatedAt);
  const moved = paid > ether[1] ? paid - ether[1] : ether[1] - paid;
  const report = (feed: string | undefined, answer: bigint): LiveAction => ({
    from: cast.priceReporter as Address,
    to: feed as Address,
    data: encode(feedAbi, "report", [answer]),
  });
  // One answer a block, as a block has one action of each sender; the other follows in the next.
  if (age(ether) >= etherSeconds || moved * minDifference > paid) return [report(cast.etherFeed, paid)];
  const walked = (euro[1] * BigInt(10_000 + random.between(-5, 5))) / 10_000n;
  return age(euro) >= euroSeconds ? [report(cast.euroFeed, walked)] : [];
};
