import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import type { Market } from "./exchange-prices.ts";
import { type RangeExchange, type RangePool, unlimited } from "./exchange-types.ts";
import type { People } from "./people.ts";
import { openRangePositions } from "./range-positions.ts";
import { sqrtPriceAt } from "./range-price.ts";
import { createRangeSwaps } from "./range-swaps.ts";
import type { Tokens } from "./tokens.ts";

const ether = 10n ** 18n;

const openPool = async (
  stage: ChapterContext,
  people: People,
  market: Market,
  { factory, positions }: Omit<RangeExchange, "pools">,
  pair: readonly [Address, Address],
  { fee, spacing }: Pick<RangePool, "fee" | "spacing">,
): Promise<RangePool> => {
  const { artifacts } = stage;
  const tokens = [...pair].sort() as [Address, Address];
  const data = encode(artifacts.positionManager.abi, "createAndInitializePoolIfNecessary", [...tokens, fee, sqrtPriceAt(market, tokens)]);
  await stage.play([{ from: people.keeper, to: positions, data, gas: 6_000_000 }]);
  const pool = await stage.read<Address>(factory, artifacts.rangeFactory.abi, "getPool", [...tokens, fee]);
  return { pool: pool.toLowerCase() as Address, tokens, fee, spacing };
};

/** A Uniswap V3 exchange: two pools of different fees, positions of several people as tokens of the position manager, and swaps on each day. */
export const openRangeExchange = async (
  stage: ChapterContext,
  people: People,
  tokens: Tokens,
  weth: Address,
  market: Market,
): Promise<{ ranges: RangeExchange; scene: Scene }> => {
  const { artifacts } = stage;
  const { deployer, keeper } = people;
  const factory = await stage.deploy(deployer, artifacts.rangeFactory);
  const router = await stage.deploy(deployer, artifacts.rangeRouter, [factory, weth]);
  const descriptor = await stage.deploy(deployer, artifacts.positionDescriptor);
  const positions = await stage.deploy(deployer, artifacts.positionManager, [factory, weth, descriptor]);
  const contracts = { factory, router, positions, descriptor };
  const [usd, gold] = [tokens.usd.address, tokens.gold.address];
  const dollarEther = await openPool(stage, people, market, contracts, [usd, weth], { fee: 500, spacing: 10 });
  const goldEther = await openPool(stage, people, market, contracts, [gold, weth], { fee: 3_000, spacing: 60 });
  const ranges: RangeExchange = { ...contracts, pools: { dollarEther: dollarEther.pool, goldEther: goldEther.pool } };

  const traders = [people.trader, ...people.dealers.slice(0, Math.max(4, stage.scaled(10)))];
  await stage.play(
    [keeper, ...traders].flatMap((from) =>
      [usd, gold, weth].map((token): Call => ({ from, to: token, data: encodeApprove(router, unlimited), gas: 80_000 })),
    ),
  );
  const positionsScene = await openRangePositions(stage, people, positions, {
    dollarEther,
    goldEther,
    deposits: [
      {
        pool: dollarEther,
        amounts: new Map([
          [usd, 375_000n * tokens.usd.unit],
          [weth, 150n * ether],
        ]),
      },
      {
        pool: goldEther,
        amounts: new Map([
          [gold, 1_875n * tokens.gold.unit],
          [weth, 60n * ether],
        ]),
      },
    ],
  });
  const swaps = createRangeSwaps(stage, people, market, router, { dollarEther, goldEther, usd, gold, weth, traders });
  const scene: Scene = async (day) => [...(await swaps(day)), ...(await positionsScene(day))];
  return { ranges, scene };
};
