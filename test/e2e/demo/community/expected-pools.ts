import { toEventSelector } from "viem";
import { type Address, nativeTokenAddress } from "../../../../runtime/lib/hex.ts";
import type { StablePool } from "../../../integration/domains/community/curve/market.ts";
import { readState } from "../../../integration/domains/community/curve/views.ts";
import { readPool } from "../../../integration/domains/community/sushiswap/views.ts";
import { readContract, uniswapV2 } from "../../../integration/domains/pools/support.ts";
import { demoContracts } from "../../../support/demo-contracts.ts";
import {
  addressIn,
  blocksOf,
  type ExpectationContext,
  type ExpectedResponses,
  growthOf,
  itemsOf,
  newestOf,
  partOf,
  sumOf,
} from "./expected.ts";

/** A pool's expected values in responses. */
interface ExpectedPool {
  readonly address: Address;
  readonly coins: readonly Address[];
  readonly shares: Address;
  readonly balances: readonly bigint[];
  readonly supply: bigint;
  readonly supplyRate: number | null;
  /** The balances' as-of block. */
  readonly block: number;
  sharesOf(owner: Address): Promise<bigint>;
}

/** The expected responses for pools; each holder owns a share of every balance, rounded down. */
const expectPools = (context: ExpectationContext, readPools: (height: number) => Promise<readonly ExpectedPool[]>): ExpectedResponses => {
  const poolsByHeight = new Map<number, Promise<readonly ExpectedPool[]>>();
  const poolsAt = (height: number): Promise<readonly ExpectedPool[]> => {
    const pools = poolsByHeight.get(height) ?? readPools(height);
    poolsByHeight.set(height, pools);
    return pools;
  };
  const poolValue = ({ coins }: ExpectedPool, amounts: readonly bigint[], height: number): number | null => {
    const valueAt = context.valueAt(height);
    return sumOf(coins.map((coin, position) => valueAt(coin, amounts[position] ?? 0n)));
  };
  const heldAt = async (wallet: Address, height: number) => {
    const pools = await poolsAt(height);
    const held = await Promise.all(pools.map(async (pool) => ({ pool, shares: await pool.sharesOf(wallet) })));
    return held.filter(({ shares }) => shares > 0n);
  };
  return {
    markets: async (height) =>
      itemsOf(
        (await poolsAt(height)).map((pool) => {
          const value = poolValue(pool, pool.balances, height);
          const fields = {
            ...{ total_value_locked_quote: value, total_supply_quote: value, supply_rate: pool.supplyRate, block_height: pool.block },
            ...{ lp_token_address: pool.shares, lp_token_total_supply: String(pool.supply) },
          };
          return [pool.address, fields];
        }),
      ),
    balances: async (wallet, height) =>
      itemsOf(
        (await heldAt(wallet, height)).map(({ pool, shares }) => [
          `liquidity ${pool.address}`,
          { balance: String(shares), quote: partOf(poolValue(pool, pool.balances, height), shares, pool.supply) },
        ]),
      ),
    tokens: async (wallet, height) =>
      itemsOf(
        (await heldAt(wallet, height)).map(({ pool, shares }) => {
          const amounts = pool.balances.map((balance) => (balance * shares) / pool.supply);
          const tokens = pool.coins.map((coin, position) => ({ contract_address: coin, balance: String(amounts[position]) }));
          return [pool.address, { lp_token_balance: String(shares), tokens, total_quote: poolValue(pool, amounts, height) }];
        }),
      ),
  };
};

/** The expected responses for protocol 05. */
export const expectStablePools = async (context: ExpectationContext): Promise<ExpectedResponses> => {
  const head = context.times.length - 1;
  const registry = addressIn(context, "stableRegistry");
  const toLower = (address: string): Address => address.toLowerCase() as Address;
  const [ether, dollars] = [addressIn(context, "etherStablePool"), addressIn(context, "dollarStablePool")];
  const pools: StablePool[] = [
    {
      address: ether,
      artifact: demoContracts("EtherStableSwap"),
      coins: [nativeTokenAddress, addressIn(context, "wrappedNative")],
      shares: toLower(await readContract<string>(context, demoContracts("EtherStableSwap"), ether, "lp_token", [], head)),
    },
    {
      address: dollars,
      artifact: demoContracts("BaseStableSwap"),
      coins: ["usdToken", "pierToken", "quayToken"].map((name) => addressIn(context, name)),
      shares: toLower(await readContract<string>(context, demoContracts("StableSwapRegistry"), registry, "get_lp_token", [dollars], head)),
    },
  ];
  const events = await Promise.all(pools.map(({ address }) => blocksOf(context, address, [])));
  return expectPools(context, (height) =>
    Promise.all(
      pools.map(async (pool, position): Promise<ExpectedPool> => {
        const blocks = events[position] ?? [];
        const state = await readState(context, pool, height);
        const priceAt = async (block: number) => (await readState(context, pool, block)).virtualPrice ?? 0n;
        return { ...pool, ...state, block: newestOf(blocks, height), supplyRate: await growthOf(context, blocks, height, priceAt) };
      }),
    ),
  );
};

const month = 30 * 86_400;
const year = 365 * 86_400;
const mintTopic = toEventSelector("Mint(address,uint256,uint256)");

/** The expected responses for protocol 07. */
export const expectPairs = async (context: ExpectationContext): Promise<ExpectedResponses> => {
  const { times } = context;
  const factory = addressIn(context, "exchangeFactory");
  const head = times.length - 1;
  const readFactory = <Result>(name: string, args: readonly unknown[] = []) =>
    readContract<Result>(context, uniswapV2.factory(), factory, name, args, head);
  const count = Number(await readFactory<bigint>("allPairsLength"));
  const addresses = await Promise.all(Array.from({ length: count }, (_, index) => readFactory<string>("allPairs", [BigInt(index)])));
  const pairs = addresses.map((address) => address.toLowerCase() as Address);
  const firstMints = await Promise.all(pairs.map(async (pair) => (await blocksOf(context, pair, [mintTopic]))[0] ?? 0));
  const shareAt = async (pair: Address, block: number): Promise<number> => {
    const { reserves, supply } = await readPool(context, pair, block);
    return Math.sqrt(Number(reserves[0])) * (Math.sqrt(Number(reserves[1])) / Number(supply));
  };
  /** The annualized growth of √(reserve0 × reserve1) per pool token within 30 days, or since liquidity was first added. */
  const rateOf = async (pair: Address, first: number, height: number): Promise<number | null> => {
    const now = times[height] ?? 0;
    const monthAgo = times.findLastIndex((time) => time <= now - month);
    const [since, elapsed] = monthAgo < first ? [first, now - (times[first] ?? 0)] : [monthAgo, month];
    return elapsed === 0 ? null : (((await shareAt(pair, height)) / (await shareAt(pair, since)) - 1) * year) / elapsed;
  };
  return expectPools(context, (height) =>
    Promise.all(
      pairs.map(async (address, position): Promise<ExpectedPool> => {
        const { tokens, reserves, supply, balanceOf } = await readPool(context, address, height);
        const supplyRate = await rateOf(address, firstMints[position] ?? 0, height);
        return { address, shares: address, coins: tokens, balances: reserves, supply, supplyRate, block: height, sharesOf: balanceOf };
      }),
    ),
  );
};
