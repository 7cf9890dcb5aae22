import { toEventSelector } from "viem";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import type { Pool } from "../../../integration/domains/community/balancer/market.ts";
import { type PoolTokens, viewsOf } from "../../../integration/domains/community/balancer/views.ts";
import { readContract } from "../../../integration/domains/pools/support.ts";
import { demoContracts } from "../../../support/demo-contracts.ts";
import { addressIn, blocksOf, type ExpectationContext, type ExpectedResponses, growthOf, itemsOf, partOf, sumOf } from "./expected.ts";

const balanceChangedTopic = toEventSelector("PoolBalanceChanged(bytes32,address,address[],int256[],uint256[])");

interface KnownPool extends Pool {
  /** The blocks with joins to or exits from the pool. */
  readonly changes: readonly number[];
}

const readPools = async (context: ExpectationContext, vault: Address): Promise<KnownPool[]> => {
  const head = context.times.length - 1;
  const pools = [
    { address: addressIn(context, "vaultPool"), artifact: demoContracts("WeightedVaultPool") },
    { address: addressIn(context, "composablePool"), artifact: demoContracts("ComposableVaultPool") },
  ];
  return Promise.all(
    pools.map(async ({ address, artifact }) => {
      const id = await readContract<Hex>(context, artifact, address, "getPoolId", [], head);
      const [tokens] = await readContract<[Address[]]>(context, demoContracts("PoolVault"), vault, "getPoolTokens", [id], head);
      const changes = await blocksOf(context, vault, [balanceChangedTopic, id]);
      return {
        ...{ address, artifact, id, name: "", decimals: 18, changes },
        tokens: tokens.map((token) => token.toLowerCase() as Address),
      };
    }),
  );
};

/** The expected responses for protocol 02. */
export const expectVaultPools = async (context: ExpectationContext): Promise<ExpectedResponses> => {
  const vault = addressIn(context, "poolVault");
  const pools = await readPools(context, vault);
  const views = viewsOf(context, vault);
  const poolValue = (pool: Pool, { balances }: PoolTokens, height: number): number | null => {
    const dollarsOf = context.valueAt(height);
    return sumOf([...balances].filter(([token]) => token !== pool.address).map(([token, amount]) => dollarsOf(token, amount)));
  };
  return {
    markets: async (height) => {
      const entries = pools.map(async (pool) => {
        const held = await views.poolTokens(pool, height);
        const value = poolValue(pool, held, height);
        const fields = {
          ...{ total_value_locked_quote: value, total_supply_quote: value, lp_token_address: pool.address },
          lp_token_total_supply: String(await views.supplyOf(pool, height)),
          block_height: Number(held.lastChangeBlock),
          supply_rate: await growthOf(context, pool.changes, height, (block) => views.rateOf(pool, block)),
        };
        return [pool.address, fields] as const;
      });
      return itemsOf(await Promise.all(entries));
    },
    balances: async (wallet, height) => {
      const entries = pools.map(async (pool) => {
        const shares = await views.sharesOf(pool, wallet, height);
        if (shares === 0n) return null;
        const value = poolValue(pool, await views.poolTokens(pool, height), height);
        return [
          `liquidity ${pool.address}`,
          { balance: String(shares), quote: partOf(value, shares, await views.supplyOf(pool, height)) },
        ] as const;
      });
      return itemsOf(await Promise.all(entries));
    },
    tokens: async (wallet, height) => {
      const dollarsOf = context.valueAt(height);
      const entries = pools.map(async (pool) => {
        const shares = await views.sharesOf(pool, wallet, height);
        if (shares === 0n) return null;
        const tokens = await views.exitOf(pool, shares, height);
        const total = sumOf(tokens.map(({ contract_address, balance }) => dollarsOf(contract_address, BigInt(balance))));
        return [pool.address, { lp_token_balance: String(shares), tokens, total_quote: total }] as const;
      });
      return itemsOf(await Promise.all(entries));
    },
  };
};
