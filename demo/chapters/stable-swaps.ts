import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import type { Artifact } from "../contracts/artifact.ts";
import { encode, encodeApprove, encodeTransfer } from "../story/encode.ts";
import { type Call, type DailyCalls, type StoryContext, storyDays } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { unlimited } from "./exchange-types.ts";
import type { Tokens } from "./tokens.ts";

/** Stable-swap pools: one of ether and wrapped ether, and one of three dollar tokens, which the registry announces. */
export interface StableSwaps {
  readonly registry: Address;
  readonly etherPool: Address;
  readonly dollarPool: Address;
  readonly etherShares: Address;
  readonly dollarShares: Address;
  /** The other dollar tokens of the dollar pool. */
  readonly pier: Address;
  readonly quay: Address;
}

interface Pool {
  readonly address: Address;
  readonly artifact: Artifact;
  readonly shares: Address;
  readonly coins: readonly Address[];
}

const amplification = 200n;
/** Whole dollars of each coin in the first deposit of the dollar pool, and of each new dollar token that an account receives. */
const firstDollars = 60_000n;
const givenDollars = 15_000n;
/** The shares of balances that actions move, in thousandths. */
const exchangeShare = [4, 20] as const;
const depositShare = [3, 12] as const;

const toLower = (address: string): Address => address.toLowerCase() as Address;

const deployPools = async (context: StoryContext, { deployer, marketMaker }: Accounts, { usd }: Tokens, weth: Address) => {
  const { artifacts } = context;
  const deployDollar = (name: string, symbol: string, decimals: number) =>
    context.deploy(deployer, artifacts.customDecimalsToken, [name, symbol, decimals, 10n ** BigInt(decimals + 6)]);
  const [pier, quay] = [await deployDollar("Pier Dollar", "PUSD", 18), await deployDollar("Quay Dollar", "QUSD", 2)];
  const registry = await context.deploy(deployer, artifacts.stableSwapRegistry);
  const deployPool = async (artifact: Artifact, name: string, symbol: string, coins: readonly Address[], ...more: readonly unknown[]) => {
    const address = await context.deploy(marketMaker, artifact, [name, symbol, coins, amplification, ...more]);
    const shares =
      more.length === 0
        ? await context.read<string>(address, artifact.abi, "lp_token", [])
        : await context.read<string>(registry, artifacts.stableSwapRegistry.abi, "get_lp_token", [address]);
    return { address, artifact, coins, shares: toLower(shares) };
  };
  const ether = await deployPool(artifacts.etherStableSwap, "Stable Ether", "sETH", [nativeTokenAddress, weth]);
  const dollars = await deployPool(artifacts.baseStableSwap, "Three Dollars", "3USD", [usd.address, pier, quay], registry);
  return { registry, pier, quay, ether, dollars };
};

/** Deploys two pools. Each day has an exchange or a change of liquidity, on every third day by the trader. */
export const setUpStableSwaps = async (
  context: StoryContext,
  accounts: Accounts,
  tokens: Tokens,
  weth: Address,
): Promise<{ stableSwaps: StableSwaps; dailyCalls: DailyCalls }> => {
  const { artifacts, holdings } = context;
  const { deployer, trader, collector, marketMaker, dealers } = accounts;
  const { registry, pier, quay, ether, dollars } = await deployPools(context, accounts, tokens, weth);
  const pools: readonly Pool[] = [ether, dollars];
  const people = [trader, collector, ...dealers.slice(0, 2)];
  const random = context.createRandom("stable swaps");
  const units = new Map([
    [tokens.usd.address, tokens.usd.unit],
    [pier, 10n ** 18n],
    [quay, 10n ** 2n],
  ]);
  const unitOf = (coin: Address): bigint => units.get(coin) ?? 10n ** 18n;

  const callPool = (from: Address, { address, artifact }: Pool, name: string, parameters: readonly unknown[], value = 0n): Call => ({
    from,
    to: address,
    value,
    data: encode(artifact.abi, name, parameters),
    gas: 700_000,
  });
  const add = (from: Address, pool: Pool, amounts: readonly bigint[]): Call =>
    callPool(from, pool, "add_liquidity", [amounts, 0n], pool === ether ? amounts[0] : 0n);
  const exchange = (from: Address, pool: Pool): Call[] => {
    const i = random.below(pool.coins.length);
    const j = (i + 1 + random.below(pool.coins.length - 1)) % pool.coins.length;
    const amount = holdings.spend(pool.coins[i] as Address, from, random, exchangeShare);
    if (amount === 0n) return [];
    return [callPool(from, pool, "exchange", [i, j, amount, 0n], pool === ether && i === 0 ? amount : 0n)];
  };
  const deposit = (from: Address, pool: Pool): Call[] => [
    add(
      from,
      pool,
      pool.coins.map((coin) => holdings.spend(coin, from, random, depositShare)),
    ),
  ];
  const remove = async (from: Address, pool: Pool): Promise<Call[]> => {
    const balance = await context.read<bigint>(pool.shares, artifacts.presetToken.abi, "balanceOf", [from]);
    const shares = (balance * BigInt(random.between(30, 150))) / 1000n;
    if (shares === 0n) return [];
    const kind = random.below(3);
    if (kind === 0) return [callPool(from, pool, "remove_liquidity", [shares])];
    const i = random.below(pool.coins.length);
    if (kind === 1) return [callPool(from, pool, "remove_liquidity_one_coin", [shares, i, 0n])];
    const amounts = pool.coins.map((coin, k) => (k === i ? (shares * unitOf(coin)) / 10n ** 18n : 0n));
    return [callPool(from, pool, "remove_liquidity_imbalance", [amounts, balance])];
  };

  const giveDollars = (coin: Address, to: Address, whole: bigint): Call => {
    holdings.receive(coin, to, whole * unitOf(coin));
    return { from: deployer, to: coin, data: encodeTransfer(to, whole * unitOf(coin)), gas: 80_000 };
  };
  const approvals = [deployer, marketMaker, ...people].flatMap((from) =>
    pools.flatMap(({ address, coins }) =>
      coins
        .filter((coin) => coin !== nativeTokenAddress)
        .map((coin): Call => ({ from, to: coin, data: encodeApprove(address, unlimited), gas: 80_000 })),
    ),
  );
  await context.mine([...approvals, ...[pier, quay].flatMap((coin) => people.map((to) => giveDollars(coin, to, givenDollars)))]);
  const firstEther = holdings.spend(weth, marketMaker, random, [30, 30]);
  holdings.deduct(nativeTokenAddress, marketMaker, firstEther);
  await context.mine([
    add(marketMaker, ether, [firstEther, firstEther]),
    add(
      deployer,
      dollars,
      dollars.coins.map((coin) => firstDollars * unitOf(coin)),
    ),
    ...pools.flatMap((pool) => deposit(trader, pool)),
  ]);
  return {
    stableSwaps: {
      registry,
      etherPool: ether.address,
      dollarPool: dollars.address,
      etherShares: ether.shares,
      dollarShares: dollars.shares,
      pier,
      quay,
    },
    dailyCalls: async (day) => {
      // The last day ends with a deposit into each pool, so that the trader has a share of both.
      if (day === storyDays - 1) return pools.flatMap((pool) => deposit(trader, pool));
      const [owner, pool] = [day % 3 === 0 ? trader : random.pick(people), random.pick(pools)];
      if (random.oneIn(2)) return exchange(owner, pool);
      return random.oneIn(2) ? deposit(owner, pool) : remove(owner, pool);
    },
  };
};
