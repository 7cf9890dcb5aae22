import type { createRandom } from "../../../../../demo/story/random.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import type { TestChain, TestTransaction } from "../../../../support/chain.ts";
import { demoContracts } from "../../../../support/demo-contracts.ts";
import { approveAll, deployShared, type SharedContracts } from "./contracts.ts";

/** A share pool, and vaults with strategies of both versions. */
export interface ShareMarket {
  readonly shared: SharedContracts;
  readonly pool: Address;
  readonly legacy: Address;
  readonly strategy: Address;
  /** The contracts as an operator configures them. */
  readonly community: Readonly<Record<string, Readonly<Record<string, readonly Address[]>>>>;
  /** A random deposit, withdrawal, share transfer or report; some fail. */
  randomTransaction(random: ReturnType<typeof createRandom>): TestTransaction;
}

/** Deploys the pool and the vaults, and makes a deposit into each. */
export const startShareMarket = async (chain: TestChain): Promise<ShareMarket> => {
  const shared = await deployShared(chain);
  const { people, strategist, collector, token, router, callOf } = shared;
  const pool = await chain.deploy(demoContracts("SharePool"), ["Pool", "POOL", token, strategist, collector]);
  const legacy = await chain.deploy(demoContracts("LegacyVault"), ["Vault 2", "V2", token, strategist, collector, true]);
  const strategy = await chain.deploy(demoContracts("StrategyVault"), ["Vault 3", "V3", token, strategist, collector]);
  await approveAll(chain, shared, [pool, legacy, strategy]);
  const depositOf = (from: Address, amount: bigint): TestTransaction[] => [
    callOf(from, "SharePool", pool, "deposit", [amount]),
    callOf(from, "LegacyVault", legacy, "deposit", [amount, from]),
    callOf(from, "StrategyVault", strategy, "deposit", [amount, from]),
  ];
  await chain.send(...depositOf(people[0], 1_000_000n));
  await chain.mine();
  return {
    ...{ shared, pool, legacy, strategy },
    community: { protocol_09: { vault: [pool] }, protocol_10: { vault_v2: [legacy], vault_v3: [strategy] } },
    randomTransaction: (random) => {
      const [from, to] = [random.pick(people), random.pick(people)];
      const amount = BigInt(random.between(1, 10 ** 6));
      return random.pick([
        ...depositOf(from, amount),
        callOf(from, "Router", router, "depositIntoPool", [pool, token, amount]),
        callOf(from, "SharePool", pool, "withdraw", [amount * 10n ** 11n]),
        callOf(from, "LegacyVault", legacy, "withdraw", [amount / 2n, to]),
        callOf(from, "StrategyVault", strategy, "redeem", [amount / 2n, to, from]),
        callOf(from, "StrategyVault", strategy, "transfer", [to, amount / 3n]),
        callOf(strategist, "LegacyVault", legacy, "report", [amount]),
        callOf(strategist, "StrategyVault", strategy, "report", [amount]),
      ]);
    },
  };
};
