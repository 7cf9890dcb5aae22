import { parseAbi } from "viem";
import type { createRandom } from "../../demo/story/random.ts";
import type { Address } from "../../runtime/lib/hex.ts";
import { contracts } from "../integration/domains/community/lending/contracts.ts";
import type { Coin, LendingReserve } from "../integration/domains/community/lending/market.ts";
import { type Artifact, encodeCall, type TestTransaction } from "../support/chain.ts";
import { deployPool, deployPoolV2, type RealPool } from "./aave-pools.ts";
import type { ProtocolChain } from "./support.ts";

type Random = ReturnType<typeof createRandom>;

/** Pool and token functions in both versions. */
const functions: Artifact = {
  abi: parseAbi([
    "function supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)",
    "function deposit(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)",
    "function withdraw(address asset, uint256 amount, address to)",
    "function borrow(address asset, uint256 amount, uint256 mode, uint16 referralCode, address onBehalfOf)",
    "function repay(address asset, uint256 amount, uint256 mode, address onBehalfOf)",
    "function repayWithATokens(address asset, uint256 amount, uint256 mode)",
    "function liquidationCall(address collateral, address debt, address user, uint256 debtToCover, bool receiveAToken)",
    "function transfer(address to, uint256 amount)",
    "function approveDelegation(address to, uint256 amount)",
  ]),
  bytecode: "0x",
};

/** Pools of both versions with reserves in the same coins, and accounts that use them. */
export interface RealLendingMarket {
  readonly people: readonly Address[];
  /** Owes the second coin with the first one as collateral, and sends no random transactions. */
  readonly debtor: Address;
  readonly treasury: Address;
  readonly coins: readonly Coin[];
  readonly pools: readonly RealPool[];
  readonly reserves: readonly LendingReserve[];
  /** The first supplies and variable-rate borrows. */
  firstTransactions(): TestTransaction[];
  /** The first stable-rate borrows, which require the variable-rate ones. */
  firstStableTransactions(): TestTransaction[];
  /** An account's random action with a reserve; some actions fail. */
  randomTransaction(random: Random): TestTransaction;
  /** Liquidates debts in the second coin while the first one has lost most of its value. */
  liquidate(receiveAToken: boolean): Promise<void>;
}

const unlimited = 2n ** 256n - 1n;

/** Deploys two coins, and a pool for each version with reserves in both. */
export const startRealLending = async (world: ProtocolChain): Promise<RealLendingMarket> => {
  const { chain, deploy, execute } = world;
  const people = chain.accounts.slice(0, 4) as Address[];
  const [debtor, treasury] = chain.accounts.slice(4) as [Address, Address];
  const accounts = [...people, debtor];
  const coins: Coin[] = [];
  for (const [decimals, price] of [[18, 2_000] as const, [6, 1] as const]) {
    const address = await deploy(contracts("Coin"), [`Coin ${decimals}`, decimals]);
    await execute(...accounts.map((to) => encodeCall(contracts("Coin"), address, "mint", [to, 10n ** BigInt(decimals + 9)])));
    coins.push({ address, decimals, price });
  }
  const pools = [await deployPool(world, coins, treasury), await deployPoolV2(world, coins, treasury)];
  const reserves = pools.flatMap((pool) => pool.reserves);
  for (const { coin, pool, variableDebt, stableDebt } of reserves) {
    await execute(...accounts.map((from) => ({ from, ...encodeCall(contracts("Coin"), coin.address, "approve", [pool, unlimited]) })));
    for (const token of [variableDebt, stableDebt])
      await execute(
        ...people.flatMap((from) =>
          people.filter((to) => to !== from).map((to) => ({ from, ...encodeCall(functions, token, "approveDelegation", [to, unlimited]) })),
        ),
      );
  }
  const use = (from: Address, to: Address, name: string, args: readonly unknown[]): TestTransaction => ({
    from,
    ...encodeCall(functions, to, name, args),
    gas: 2_000_000n,
  });
  const supply = (from: Address, { pool, isV2, coin }: LendingReserve, amount: bigint, onBehalfOf: Address): TestTransaction =>
    use(from, pool, isV2 ? "deposit" : "supply", [coin.address, amount, onBehalfOf, 7]);
  const stableBorrower = ({ coin }: LendingReserve): Address => people[coin === coins[0] ? 2 : 3] as Address;
  const unitOf = ({ coin: { decimals } }: LendingReserve): bigint => 10n ** BigInt(decimals);
  return {
    ...{ people, debtor, treasury, coins, pools, reserves },
    // An account cannot borrow a coin at a stable rate if it has supplied the coin as collateral.
    firstTransactions: () => [
      ...reserves.flatMap((reserve) => {
        const { pool, coin } = reserve;
        const [borrower] = people as [Address];
        const suppliers = people.filter((from) => from !== stableBorrower(reserve));
        return [
          ...suppliers.map((from) => supply(from, reserve, 90_000n * unitOf(reserve), from)),
          use(borrower, pool, "borrow", [coin.address, 100n * unitOf(reserve), 2, 0, borrower]),
        ];
      }),
      ...reserves.map((reserve) =>
        reserve.coin === coins[0]
          ? supply(debtor, reserve, 10n * unitOf(reserve), debtor)
          : use(debtor, reserve.pool, "borrow", [reserve.coin.address, 5_000n * unitOf(reserve), 2, 0, debtor]),
      ),
    ],
    firstStableTransactions: () =>
      reserves.map((reserve) => {
        const from = stableBorrower(reserve);
        return use(from, reserve.pool, "borrow", [reserve.coin.address, 10n * unitOf(reserve), 1, 0, from]);
      }),
    randomTransaction: (random) => {
      const [from, to, reserve] = [random.pick(people), random.pick(people), random.pick(reserves)];
      const { coin, pool, aToken, isV2 } = reserve;
      const amount =
        BigInt(random.between(1, 1_000_000)) * 10n ** BigInt(coin.decimals - random.between(2, 5)) + BigInt(random.below(1_000_000));
      const mode = random.oneIn(3) ? 1 : 2;
      const asset = coin.address;
      return random.pick<TestTransaction>([
        supply(from, reserve, amount * 4n, from),
        supply(from, reserve, amount, to),
        use(from, pool, "withdraw", [asset, amount / 2n, to]),
        use(from, pool, "withdraw", [asset, amount / 9n, from]),
        use(from, pool, "withdraw", [asset, 100n, from]),
        use(from, pool, "borrow", [asset, amount / 3n, mode, 0, from]),
        use(from, pool, "borrow", [asset, amount / 4n, mode, 0, to]),
        use(from, pool, "repay", [asset, amount / 8n, mode, to]),
        use(from, pool, "repay", [asset, 101n, 2, people[0]]),
        use(from, pool, "repay", [asset, random.oneIn(3) ? unlimited : 101n, mode, from]),
        ...(isV2 ? [] : [use(from, pool, "repayWithATokens", [asset, amount / 9n, mode])]),
        use(from, aToken, "transfer", [to, amount / 5n]),
      ]);
    },
    liquidate: async (receiveAToken) => {
      const [ether, dollar] = coins as [Coin, Coin];
      for (const pool of pools) await execute(pool.setPrice(ether, ether.price / 10_000));
      const [liquidator] = people as [Address];
      const args = [ether.address, dollar.address, debtor, 10n ** 5n, receiveAToken];
      await execute(...pools.map((pool) => use(liquidator, pool.address, "liquidationCall", args)));
      for (const pool of pools) await execute(pool.setPrice(ether, ether.price));
    },
  };
};
