import type { Chain, Currency } from "../../../generated/requests.gen.ts";
import type { PoolsDexDataItem, PoolsDexToken } from "../../../generated/responses.gen.ts";
import type { ExchangeConfig } from "../../config/exchanges.ts";
import type { PoolRow } from "../../domains/pools/queries/pool.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import type { Address } from "../../lib/hex.ts";
import { addressExplorers } from "../chains/view-chain.ts";
import type { ResolverContext } from "../context.ts";
import { formatQuote, ratePerWholeToken, viewNumber } from "../prices/view-quotes.ts";
import { exchangesOf, requireExchange } from "./exchanges.ts";
import { readPoolStats } from "./pool-stats.ts";
import { snapshotAtAnchor } from "./snapshots.ts";
import { viewPoolValues } from "./view-pool.ts";
import { viewPoolContract } from "./view-pool-contract.ts";

/** The requested exchange, or all of the network's exchanges. @throws {RequestError} 404 if the exchange is unknown. */
export const requestedExchanges = (context: ResolverContext, chain: Chain, dexName: string | null): readonly ExchangeConfig[] =>
  dexName === null ? exchangesOf(context.chains.get(chain.id)) : [requireExchange(context, chain, dexName)];

/** Pools with their exchanges and their values in a currency. */
export async function viewPoolsOfExchanges(
  context: ResolverContext,
  chain: Chain,
  exchanges: readonly ExchangeConfig[],
  pools: readonly PoolRow[],
  currency: Currency,
): Promise<PoolsDexDataItem[]> {
  const snapshot = pools.length === 0 ? null : await snapshotAtAnchor(context, chain);
  if (snapshot === null) return [];
  const all = await readPoolStats(context, chain, pools, snapshot, currency);
  const { metadata } = all;
  const chainConfig = context.chains.get(chain.id);
  const viewToken = (token: Address, reserve: string | null, rate: Rate): PoolsDexToken => {
    const contract = viewPoolContract(chainConfig, token, metadata.get(token));
    return { ...contract, reserve, quote_rate: viewNumber(ratePerWholeToken(rate, contract.contract_decimals)) };
  };
  return all.stats.flatMap((stats) => {
    const { pool, now, rates, poolRate } = stats;
    const exchange = exchanges.find(({ factory }) => factory === pool.factory);
    if (exchange === undefined) return [];
    const lpToken = metadata.get(pool.pool);
    return {
      dex_name: exchange.name,
      exchange: pool.pool,
      exchange_ticker_symbol: lpToken?.symbol ?? null,
      exchange_logo_url: exchange.logoUrl ?? null,
      explorers: addressExplorers(chainConfig, pool.pool),
      ...viewPoolValues(exchange, stats, all),
      pretty_quote_rate: formatQuote(ratePerWholeToken(poolRate, lpToken?.decimals ?? null), currency),
      token_0: viewToken(pool.token0, now.reserve0, rates[0]),
      token_1: viewToken(pool.token1, now.reserve1, rates[1]),
    };
  });
}
