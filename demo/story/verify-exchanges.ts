import type { Abi } from "viem";
import type { Address } from "../../runtime/lib/hex.ts";
import { liquidityFloor } from "../chapters/exchange-types.ts";
import type { Artifacts } from "../contracts/artifacts.ts";
import type { NodeClient } from "../node/client.ts";
import { readContract } from "./read-contract.ts";
import type { StoryValues } from "./story-values.ts";

const secondsPerDay = 86_400;
/** The liquidity floor in base units of the dollar token, which has six decimals. */
const floorInUnits = BigInt(liquidityFloor) * 10n ** 6n;
/** The locked shares of each pool (MINIMUM_LIQUIDITY of Uniswap V2's pairs). */
const minSupply = 1_000n;

const check = (holds: boolean, difference: string): void => {
  if (!holds) throw new Error(`The demo's exchanges differ from the story: ${difference}`);
};

/** Whether two prices differ by less than 10 %. */
const areClose = (left: bigint, right: bigint): boolean => left * 10n > right * 9n && right * 10n > left * 9n;

/** Verifies the exchanges by calling their contracts: the depth of the pools, the drained pool, the ether prices, and the age of feed answers. */
export const verifyExchanges = async (
  node: NodeClient,
  { pair, rangePool, priceFeed }: Artifacts,
  values: StoryValues,
  endTime: number,
): Promise<void> => {
  const [weth, usd] = [values.wrappedNative as Address, values.usdToken as Address];
  const read = <Result>(name: string, abi: Abi, functionName: string) =>
    readContract<Result>(node, values[name] as Address, abi, functionName);
  /** A pair's reserve of one of its tokens. */
  const reserveOf = async (name: string, token: Address): Promise<bigint> => {
    const [reserve0, reserve1] = await read<readonly [bigint, bigint]>(name, pair.abi, "getReserves");
    const token0 = await read<Address>(name, pair.abi, "token0");
    return token0.toLowerCase() === token ? reserve0 : reserve1;
  };

  for (const name of ["dollarPair", "goldPair", "rivalDollarPair", "tollPair", "ticketPair"])
    check((await reserveOf(name, usd)) > 2n * floorInUnits, `${name} holds less than twice the floor`);
  check((await reserveOf("washPair", usd)) * 10n < floorInUnits, "the wash pool holds more than a tenth of the floor");
  check((await read<bigint>("drainedPair", pair.abi, "totalSupply")) === minSupply, "the drained pool has shares besides the locked ones");

  // Dollars per ether with eight decimals, like the feed: reserves have 6 and 18 decimals, and 6 + 20 - 18 = 8.
  const [, answer, , updatedAt] = await read<readonly [bigint, bigint, bigint, bigint]>("etherFeed", priceFeed.abi, "latestRoundData");
  for (const name of ["dollarPair", "rivalDollarPair"])
    check(
      areClose(answer, ((await reserveOf(name, usd)) * 10n ** 20n) / (await reserveOf(name, weth))),
      `the price in ${name} differs from the ether feed`,
    );
  const [sqrtPrice] = await read<readonly [bigint]>("dollarRange", rangePool.abi, "slot0");
  const priceX192 = sqrtPrice * sqrtPrice;
  const rangePrice = usd < weth ? ((10n ** 20n) << 192n) / priceX192 : (priceX192 * 10n ** 20n) >> 192n;
  check(areClose(answer, rangePrice), "the price in dollarRange differs from the ether feed");

  const euro = await read<readonly [bigint, bigint, bigint, bigint]>("euroFeed", priceFeed.abi, "latestRoundData");
  check(areClose(euro[1], 108_500_000n), "the euro's price differs from its first one by more than 10 %");
  for (const time of [updatedAt, euro[3]]) check(endTime - Number(time) <= secondsPerDay, "a feed's last answer is older than a day");
};
