import type { Chain, Currency } from "../../../generated/requests.gen.ts";
import type { ChainConfig } from "../../config/config.ts";
import type { ExchangeConfig } from "../../config/exchanges.ts";
import { volumeBetween } from "../../domains/dex/queries/valuation.ts";
import type { TokenState } from "../../domains/pools/queries/state.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { Address } from "../../lib/hex.ts";
import { addressExplorers } from "../chains/view-chain.ts";
import { formatQuote, ratePerWholeToken, valueAtRate, viewNumber } from "../prices/view-quotes.ts";
import { viewPoolContract } from "./view-pool-contract.ts";

/** A token's reserve in an exchange's pools, and its volume in a day. */
export interface TokenStats {
  readonly token: Address;
  readonly reserve: string;
  readonly volume: string;
  readonly swaps: number;
}

/** A token's value per smallest unit, now and a day earlier. */
export interface TokenRates {
  readonly now: Rate;
  readonly dayBefore: Rate;
}

/** A token's reserve, volume and swaps between two states. */
export const statsOfToken = (token: Address, dayBefore: TokenState, now: TokenState): TokenStats => ({
  token,
  reserve: now.reserve,
  volume: volumeBetween(dayBefore, now),
  swaps: now.swaps - dayBefore.swaps,
});

/** The common fields of items about an exchange's token. */
export function viewExchangeToken(
  chain: Chain,
  chainConfig: ChainConfig,
  { name }: ExchangeConfig,
  metadata: TokenMetadata | undefined,
  { token, reserve, volume, swaps }: TokenStats,
  rates: TokenRates,
  currency: Currency,
) {
  const contract = viewPoolContract(chainConfig, token, metadata);
  const [rate, rateDayBefore] = [
    ratePerWholeToken(rates.now, contract.contract_decimals),
    ratePerWholeToken(rates.dayBefore, contract.contract_decimals),
  ];
  const [liquidity, traded] = [valueAtRate(reserve, rates.now), valueAtRate(volume, rates.now)];
  return {
    chain_name: chain.name,
    chain_id: String(chain.id),
    dex_name: name,
    ...contract,
    total_liquidity: reserve,
    total_volume_24h: volume,
    swap_count_24h: swaps,
    explorers: addressExplorers(chainConfig, token),
    quote_rate: viewNumber(rate),
    quote_rate_24h: viewNumber(rateDayBefore),
    pretty_quote_rate: formatQuote(rate, currency),
    pretty_quote_rate_24h: formatQuote(rateDayBefore, currency),
    pretty_total_liquidity_quote: formatQuote(liquidity, currency),
    pretty_total_volume_24h_quote: formatQuote(traded, currency),
    total_liquidity_quote: viewNumber(liquidity),
    total_volume_24h_quote: viewNumber(traded),
  };
}
