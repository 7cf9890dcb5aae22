import type { Abi } from "viem";
import type { Address } from "../../runtime/lib/hex.ts";
import { liquidityFloor } from "../chapters/exchange-types.ts";
import type { Artifacts } from "../contracts/artifacts.ts";
import type { NodeClient } from "../node/client.ts";
import type { Cast } from "./cast.ts";
import { readContract } from "./read-contract.ts";

const secondsPerDay = 86_400;
/** In base units of the dollar, which has six decimals. */
const floorInUnits = BigInt(liquidityFloor) * 10n ** 6n;
/** Shares of each pool that nobody can burn (MINIMUM_LIQUIDITY of Uniswap V2's pairs). */
const minSupply = 1_000n;

const check = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(`The demo's exchanges differ from the story: ${what}.`);
};

/** Two prices that differ by less than a tenth. */
const agree = (left: bigint, right: bigint): boolean => left * 10n > right * 9n && right * 10n > left * 9n;

/** Proves what the exchanges came to, by calls of their contracts: which pools count, which one is dry, that prices of the ether agree, and that the feeds are fresh. */
export const verifyExchanges = async (
  node: NodeClient,
  { pair, rangePool, priceFeed }: Artifacts,
  cast: Cast,
  endTime: number,
): Promise<void> => {
  const [weth, usd] = [cast.wrappedNative as Address, cast.usdToken as Address];
  const read = <Result>(name: string, abi: Abi, functionName: string) =>
    readContract<Result>(node, cast[name] as Address, abi, functionName);
  /** What a pair has of one of its tokens. */
  const reserveOf = async (name: string, token: Address): Promise<bigint> => {
    const [reserve0, reserve1] = await read<readonly [bigint, bigint]>(name, pair.abi, "getReserves");
    const token0 = await read<Address>(name, pair.abi, "token0");
    return token0.toLowerCase() === token ? reserve0 : reserve1;
  };

  for (const name of ["dollarPair", "goldPair", "rivalDollarPair", "tollPair", "ticketPair"])
    check((await reserveOf(name, usd)) > 2n * floorInUnits, `${name} holds less than twice the floor`);
  check((await reserveOf("washPair", usd)) * 10n < floorInUnits, "the wash pool holds more than a tenth of the floor");
  check((await read<bigint>("drainedPair", pair.abi, "totalSupply")) === minSupply, "somebody has a share of the drained pool");

  // Dollars for an ether with eight decimals, as feeds answer: 6 and 18 decimals go in.
  const [, answer, , updatedAt] = await read<readonly [bigint, bigint, bigint, bigint]>("etherFeed", priceFeed.abi, "latestRoundData");
  for (const name of ["dollarPair", "rivalDollarPair"])
    check(
      agree(answer, ((await reserveOf(name, usd)) * 10n ** 20n) / (await reserveOf(name, weth))),
      `${name} and the ether's feed disagree`,
    );
  const [root] = await read<readonly [bigint]>("dollarRange", rangePool.abi, "slot0");
  const square = root * root;
  const ranged = usd < weth ? ((10n ** 20n) << 192n) / square : (square * 10n ** 20n) >> 192n;
  check(agree(answer, ranged), "dollarRange and the ether's feed disagree");

  const euro = await read<readonly [bigint, bigint, bigint, bigint]>("euroFeed", priceFeed.abi, "latestRoundData");
  check(agree(euro[1], 108_500_000n), "the euro has walked far");
  for (const time of [updatedAt, euro[3]]) check(endTime - Number(time) <= secondsPerDay, "a feed's last answer is older than a day");
};
