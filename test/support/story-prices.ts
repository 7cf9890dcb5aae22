import { answersOf, blockTimes, poolsOf, reservesOverTime } from "./story-exchanges.ts";
import { storyValue } from "./story-node.ts";

/** A ratio of two integers. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export type StoryCurrency = "USD" | "EUR" | "CAD";

/** The price of a token's smallest unit in the hour that contains a time; null if unknown. */
export type StoryPrices = (token: string, time: number, currency: StoryCurrency) => Ratio | null;

export const nativeToken = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
/** The tokens that are configured as dollar stablecoins, with their decimals. */
const stablecoinDecimals = { usdToken: 6n, tideToken: 18n, pierToken: 18n, quayToken: 2n } as const;
/** The names of the story's other stablecoins. */
export const stablecoins = ["tideToken", "pierToken", "quayToken"] as const;
const quarterHourSeconds = 900;
const hourSeconds = 3600;

type State = Awaited<ReturnType<typeof reservesOverTime>>[number];

/** Returns the reserves with the median ratio, weighted by duration, in the 15 minutes before a time; null if there are none. */
function medianIn(states: readonly State[], end: number): readonly [bigint, bigint] | null {
  const start = end - quarterHourSeconds;
  const initial = states.findLast(({ time }) => time <= start);
  const since = [
    ...(initial === undefined ? [] : [{ ...initial, time: start }]),
    ...states.filter(({ time }) => time > start && time < end),
  ];
  const weighted = since.map(({ time, reserves }, position) => ({ reserves, seconds: (since[position + 1]?.time ?? end) - time }));
  const ratio = ([first, second]: readonly [bigint, bigint]): number => Number(first) / Number(second);
  weighted.sort((a, b) => ratio(a.reserves) - ratio(b.reserves));
  const half = weighted.reduce((sum, { seconds }) => sum + seconds, 0) / 2;
  let passed = 0;
  for (const { reserves, seconds } of weighted) {
    passed += seconds;
    if (passed >= half) return reserves;
  }
  return null;
}

/** The story's prices from its feeds and pools, computed from the node's logs alone, as of the end of each hour. */
export async function readStoryPrices(): Promise<StoryPrices> {
  const times = await blockTimes();
  const [ether, euro] = await Promise.all([answersOf("etherFeed", times), answersOf("euroFeed", times)]);
  const pools = [...(await poolsOf("demo_exchange")), ...(await poolsOf("demo_swap"))];
  const entryOf = async (name: string, against: "usdToken" | "wrappedNative") => {
    const [token, other] = [storyValue(name), storyValue(against)];
    // For a token with several pools, the first exchange's is the deepest.
    const pair = pools.find(({ token0, token1 }) => [token0, token1].includes(token) && [token0, token1].includes(other));
    if (pair === undefined) throw new Error(`No pool for ${name}`);
    return [token, { states: await reservesOverTime(pair.pool, times), isFirst: pair.token0 === token, against }] as const;
  };
  const tokens = new Map(
    await Promise.all([
      entryOf("goldToken", "usdToken"),
      entryOf("saltToken", "wrappedNative"),
      entryOf("tollToken", "usdToken"),
      entryOf("ticketToken", "usdToken"),
      entryOf("saffronToken", "wrappedNative"),
    ]),
  );
  const dollars = new Map(Object.entries(stablecoinDecimals).map(([name, decimals]) => [storyValue(name), decimals]));
  const inDollars = (token: string, end: number): Ratio | null => {
    const dollar = dollars.get(token);
    if (dollar !== undefined) return { numerator: 1n, denominator: 10n ** dollar };
    // A feed has eight decimals, and ether has eighteen.
    const answer = ether(end);
    const native = answer === null ? null : { numerator: answer, denominator: 10n ** 26n };
    if (token === nativeToken || token === storyValue("wrappedNative")) return native;
    const priced = tokens.get(token);
    const median = priced === undefined ? null : medianIn(priced.states, end);
    if (priced === undefined || median === null) return null;
    const [ownReserve, otherReserve] = priced.isFirst ? median : [median[1], median[0]];
    const anchor = priced.against === "usdToken" ? { numerator: 1n, denominator: 10n ** 6n } : native;
    return anchor === null ? null : { numerator: otherReserve * anchor.numerator, denominator: ownReserve * anchor.denominator };
  };
  return (token, time, currency) => {
    const end = Math.min((Math.floor(time / hourSeconds) + 1) * hourSeconds, (times.at(-1) ?? 0) + 1);
    const dollarPrice = inDollars(token, end);
    if (dollarPrice === null || currency === "USD") return dollarPrice;
    const answer = currency === "EUR" ? euro(end) : null;
    return answer === null ? null : { numerator: dollarPrice.numerator * 10n ** 8n, denominator: dollarPrice.denominator * answer };
  };
}

const decimalPlaces = 60n;

/** The value of an amount, truncated to 60 decimal places. */
const digitsOf = (amount: bigint, { numerator, denominator }: Ratio): bigint => (amount * numerator * 10n ** decimalPlaces) / denominator;

/** The value of an amount as a number; null if the rate is unknown. */
export const valueAt = (amount: bigint, rate: Ratio | null): number | null =>
  rate === null ? null : Number(`${digitsOf(amount, rate)}e-${decimalPlaces}`);

/** The formatted value of an amount: truncated to two decimal places, in millions above 999,999; null if the rate is unknown. */
export function formatAt(amount: bigint, rate: Ratio | null, currency: StoryCurrency): string | null {
  if (rate === null) return null;
  const digits = digitsOf(amount, rate);
  const isMillions = digits / 10n ** decimalPlaces > 999_999n;
  const hundredths = digits / 10n ** (decimalPlaces + (isMillions ? 4n : -2n));
  const units = (hundredths / 100n).toLocaleString("en-US");
  return `${currency === "EUR" ? "€" : "$"}${units}.${String(hundredths % 100n).padStart(2, "0")}${isMillions ? "M" : ""}`;
}
