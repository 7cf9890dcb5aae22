import type { Chain } from "../../../../generated/requests.gen.ts";
import type { PoolsDexDataItem, PoolsDexToken } from "../../../../generated/responses.gen.ts";
import type { ExchangeConfig } from "../../../config/config.ts";
import type { Address } from "../../../lib/hex.ts";
import type { ResolverContext } from "../../context.ts";
import type { PoolRow } from "../../pools/pool-queries.ts";
import type { TokenMetadata } from "../../tokens/metadata-queries.ts";
import { standards } from "../../tokens/standards.ts";
import { addressExplorers } from "../../views/chain.ts";
import { viewContract } from "../../views/token.ts";
import { exchangeNamed, exchangesOf } from "./exchanges.ts";

/** The exchange that a list is narrowed to, else all of the network. @throws {RequestError} 404, an unknown exchange. */
export const exchangesAsked = (context: ResolverContext, chain: Chain, dexName: string | null): readonly ExchangeConfig[] =>
  dexName === null ? exchangesOf(context.chains.get(chain.id)) : [exchangeNamed(context, chain, dexName)];

/** Pools with the exchange of each. What is worth what stays null until prices are indexed. */
export async function viewPoolsOfExchanges(
  context: ResolverContext,
  chain: Chain,
  exchanges: readonly ExchangeConfig[],
  pools: readonly PoolRow[],
): Promise<PoolsDexDataItem[]> {
  const [states, metadata] = await Promise.all([
    context.pools.statesAt(
      chain.id,
      pools.map(({ pool }) => pool),
      [context.anchor],
    ),
    context.tokens.metadata(
      chain.id,
      pools.flatMap(({ pool, token0, token1 }) => [pool, token0, token1]),
    ),
  ]);
  const chainConfig = context.chains.get(chain.id);
  const viewToken = (token: Address, reserve: string | null): PoolsDexToken => {
    const { supports_erc: _, ...contract } = viewContract(chainConfig, token, standards.erc20, metadata.get(token) as TokenMetadata);
    return { ...contract, reserve, quote_rate: null };
  };
  return pools.flatMap((row) => {
    const exchange = exchanges.find(({ factory }) => factory === row.factory);
    if (exchange === undefined) return [];
    const [state] = states(row.pool);
    return {
      dex_name: exchange.name,
      exchange: row.pool,
      exchange_ticker_symbol: metadata.get(row.pool)?.symbol ?? null,
      exchange_logo_url: exchange.logoUrl ?? null,
      explorers: addressExplorers(chainConfig, row.pool),
      total_liquidity_quote: null,
      pretty_total_liquidity_quote: null,
      volume_24h_quote: null,
      volume_7d_quote: null,
      fee_24h_quote: null,
      quote_rate: null,
      pretty_quote_rate: null,
      annualized_fee: null,
      pretty_volume_24h_quote: null,
      pretty_volume_7d_quote: null,
      pretty_fee_24h_quote: null,
      token_0: viewToken(row.token0, state?.reserve0 ?? null),
      token_1: viewToken(row.token1, state?.reserve1 ?? null),
    };
  });
}
