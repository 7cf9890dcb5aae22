import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { type RangeExchange, type RangePool, unlimited } from "./exchange-types.ts";
import type { MarketPrices } from "./market-prices.ts";
import { setUpRangePositions } from "./range-positions.ts";
import { createRangeSwaps } from "./range-swaps.ts";
import { sqrtPriceAt } from "./sqrt-price.ts";
import type { Tokens } from "./tokens.ts";

const ether = 10n ** 18n;

const createPool = async (
  context: StoryContext,
  accounts: Accounts,
  prices: MarketPrices,
  { factory, positions }: Omit<RangeExchange, "pools">,
  pair: readonly [Address, Address],
  { fee, tickSpacing }: Pick<RangePool, "fee" | "tickSpacing">,
): Promise<RangePool> => {
  const { artifacts } = context;
  const tokens = [...pair].sort() as [Address, Address];
  const data = encode(artifacts.positionManager.abi, "createAndInitializePoolIfNecessary", [...tokens, fee, sqrtPriceAt(prices, tokens)]);
  await context.mine([{ from: accounts.secondMarketMaker, to: positions, data, gas: 6_000_000 }]);
  const pool = await context.read<Address>(factory, artifacts.rangeFactory.abi, "getPool", [...tokens, fee]);
  return { pool: pool.toLowerCase() as Address, tokens, fee, tickSpacing };
};

/** Deploys a Uniswap V3 exchange with two pools of different fees. Several accounts hold positions; each day has swaps. */
export const setUpRangeExchange = async (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
  weth: Address,
  prices: MarketPrices,
): Promise<{ rangeExchange: RangeExchange; dailyCalls: DailyCalls }> => {
  const { artifacts } = context;
  const { deployer, secondMarketMaker } = accounts;
  const factory = await context.deploy(deployer, artifacts.rangeFactory);
  const router = await context.deploy(deployer, artifacts.rangeRouter, [factory, weth]);
  const descriptor = await context.deploy(deployer, artifacts.positionDescriptor);
  const positions = await context.deploy(deployer, artifacts.positionManager, [factory, weth, descriptor]);
  const contracts = { factory, router, positions, descriptor };
  const [usd, gold] = [tokens.usd.address, tokens.gold.address];
  const dollarEther = await createPool(context, accounts, prices, contracts, [usd, weth], { fee: 500, tickSpacing: 10 });
  const goldEther = await createPool(context, accounts, prices, contracts, [gold, weth], { fee: 3_000, tickSpacing: 60 });
  const rangeExchange: RangeExchange = { ...contracts, pools: { dollarEther: dollarEther.pool, goldEther: goldEther.pool } };

  const traders = [accounts.trader, ...accounts.dealers.slice(0, Math.max(4, context.scaled(10)))];
  await context.mine(
    [secondMarketMaker, ...traders].flatMap((from) =>
      [usd, gold, weth].map((token): Call => ({ from, to: token, data: encodeApprove(router, unlimited), gas: 80_000 })),
    ),
  );
  const positionsCalls = await setUpRangePositions(context, accounts, positions, {
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
  const swaps = createRangeSwaps(context, accounts, prices, router, { dollarEther, goldEther, usd, gold, weth, traders });
  const dailyCalls: DailyCalls = async (day) => [...(await swaps(day)), ...(await positionsCalls(day))];
  return { rangeExchange, dailyCalls };
};
