import type { createRandom } from "../../../../../demo/story/random.ts";
import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import { encodeCall, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { multicallAddress, multicallCode } from "../../../../support/multicall.ts";
import { contracts } from "./contracts.ts";

type Random = ReturnType<typeof createRandom>;

/** An asset that pools lend. */
export interface Coin {
  readonly address: Address;
  readonly decimals: number;
  /** US dollars per whole coin. */
  readonly price: number;
}

/** A reserve with its tokens. */
export interface LendingReserve {
  readonly coin: Coin;
  readonly pool: Address;
  readonly isV2: boolean;
  readonly aToken: Address;
  readonly variableDebt: Address;
  readonly stableDebt: Address;
}

/** A pool with its configurator. */
export interface Pool {
  readonly isV2: boolean;
  readonly configurator: Address;
  readonly address: Address;
}

/** Pools of both versions with reserves in the same coins, and accounts that use them. */
export interface LendingMarket {
  readonly people: readonly Address[];
  readonly treasury: Address;
  readonly coins: readonly Coin[];
  readonly pools: readonly Pool[];
  readonly reserves: LendingReserve[];
  /** A random action by an account on a reserve; some fail. */
  randomTransaction(random: Random): TestTransaction;
}

const inSmallestUnits = (amount: bigint, { decimals }: Coin): bigint => amount * 10n ** BigInt(decimals);

/** The price of the smallest unit with 36 decimals, as pools store it. */
export const poolPrice = ({ decimals, price }: Coin): bigint => (BigInt(Math.round(price * 1e6)) * 10n ** 30n) / 10n ** BigInt(decimals);

/** Adds a borrowable reserve, and approves the pool and the router for all people. */
const addReserve = async (
  chain: TestChain,
  { people, router }: { readonly people: readonly Address[]; readonly router: Address },
  { isV2, configurator, address: pool }: Pool,
  coin: Coin,
): Promise<LendingReserve> => {
  const name = `${isV2 ? "Old" : "New"} ${coin.decimals}`;
  const configure = (method: string, args: readonly unknown[]): TestTransaction => ({
    ...encodeCall(contracts("LendingConfigurator"), configurator, method, args),
    gas: 8_000_000n,
  });
  const [hash] = await chain.send(
    configure("initReserve", [coin.address, coin.decimals, name, name, poolPrice(coin)]),
    configure("setBorrowable", [coin.address, true]),
  );
  await chain.mine();
  const { logs } = await chain.rpc<{ logs: { address: Address; topics: Hex[]; data: Hex }[] }>("eth_getTransactionReceipt", [hash]);
  const announcement = logs.find(({ address }) => address === configurator);
  const [stableDebt, variableDebt]: Address[] = [0, 1].map(
    (word): Address => `0x${announcement?.data.slice(26 + 64 * word, 66 + 64 * word)}`,
  );
  const aToken: Address = `0x${announcement?.topics[2]?.slice(26)}`;
  const allow = (from: Address, token: Address, spender: Address) => ({
    from,
    ...encodeCall(contracts("Coin"), token, "approve", [spender, 2n ** 255n]),
  });
  await chain.send(
    ...people.flatMap((from) => [allow(from, coin.address, pool), allow(from, coin.address, router), allow(from, aToken, router)]),
  );
  await chain.mine();
  return { coin, pool, isV2, aToken, variableDebt: variableDebt as Address, stableDebt: stableDebt as Address };
};

/** Deploys two coins and a pool of each version with reserves in both. */
export const startLending = async (chain: TestChain): Promise<LendingMarket> => {
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
  const people = chain.accounts.slice(0, 4) as Address[];
  const treasury = chain.accounts[5] as Address;
  const router = await chain.deploy(contracts("Router"));
  const coins: Coin[] = [];
  for (const [decimals, price] of [[18, 2_000] as const, [6, 1] as const]) {
    const address = await chain.deploy(contracts("Coin"), [`Coin ${decimals}`, decimals]);
    const coin = { address, decimals, price };
    await chain.send(...people.map((to) => encodeCall(contracts("Coin"), address, "mint", [to, inSmallestUnits(1_000_000_000n, coin)])));
    coins.push(coin);
  }
  const pools: Pool[] = [];
  const reserves: LendingReserve[] = [];
  for (const isV2 of [false, true]) {
    const configurator = await chain.deploy(contracts("LendingConfigurator"), [isV2, treasury]);
    const address = await poolOf(chain, configurator);
    const pool = { isV2, configurator, address };
    pools.push(pool);
    for (const coin of coins) reserves.push(await addReserve(chain, { people, router }, pool, coin));
    await chain.send(
      ...people.flatMap((from) => people.map((to) => ({ from, ...encodeCall(contracts("LendingPool"), address, "delegate", [to]) }))),
    );
    await chain.mine();
  }
  return { people, treasury, coins, pools, reserves, randomTransaction: (random) => randomTransaction(random, people, reserves, router) };
};

const poolOf = async (chain: TestChain, configurator: Address): Promise<Address> => {
  const word = await chain.rpc<Hex>("eth_call", [encodeCall(contracts("LendingConfigurator"), configurator, "pool"), "latest"]);
  return `0x${word.slice(26)}`;
};

const unlimited = 2n ** 256n - 1n;

const randomTransaction = (
  random: Random,
  people: readonly Address[],
  reserves: readonly LendingReserve[],
  router: Address,
): TestTransaction => {
  const [from, to, { coin, pool, aToken, isV2 }] = [random.pick(people), random.pick(people), random.pick(reserves)];
  const amount =
    BigInt(random.between(1, 1_000_000)) * 10n ** BigInt(coin.decimals - random.between(2, 5)) + BigInt(random.below(1_000_000));
  const mode = random.oneIn(3) ? 1 : 2;
  const callPool = (name: string, args: readonly unknown[]) => ({ from, ...encodeCall(contracts("LendingPool"), pool, name, args) });
  const asset = coin.address;
  return random.pick<TestTransaction>([
    callPool("supply", [asset, amount * 4n, from, 0]),
    callPool("supply", [asset, amount, to, 7]),
    callPool("withdraw", [asset, amount / 2n, to]),
    callPool("withdraw", [asset, random.oneIn(4) ? unlimited : amount / 9n, from]),
    callPool("borrow", [asset, amount / 3n, mode, 0, from]),
    callPool("borrow", [asset, amount / 4n, mode, 0, to]),
    callPool("repay", [asset, amount / 8n, mode, to]),
    callPool("repay", [asset, random.oneIn(3) ? unlimited : 1n, mode, from]),
    ...(isV2 ? [] : [callPool("repayWithATokens", [asset, amount / 9n, mode])]),
    { from, ...encodeCall(contracts("AToken"), aToken, "transfer", [to, amount / 5n]) },
    { from, ...encodeCall(contracts("Router"), router, "supply", [pool, asset, amount]) },
    { from, ...encodeCall(contracts("Router"), router, "withdraw", [pool, aToken, asset, amount / 7n]) },
  ]);
};
