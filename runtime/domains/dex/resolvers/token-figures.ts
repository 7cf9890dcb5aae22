import type { Chain } from "../../../../generated/requests.gen.ts";
import type { ChainConfig, ExchangeConfig } from "../../../config/config.ts";
import type { Address } from "../../../lib/hex.ts";
import type { TokenState } from "../../pools/state-queries.ts";
import type { TokenMetadata } from "../../tokens/metadata-queries.ts";
import { standards } from "../../tokens/standards.ts";
import { addressExplorers } from "../../views/chain.ts";
import { viewContract } from "../../views/token.ts";

/** What was added to a token's volume between two of its states: what went in and what went out, so that each swap counts once. */
export const volumeBetween = (before: TokenState, after: TokenState): string =>
  String(BigInt(after.amount_in) + BigInt(after.amount_out) - BigInt(before.amount_in) - BigInt(before.amount_out));

/** A token on an exchange as the fields that every item about one has. What is worth what stays null until prices are indexed. */
export function viewExchangeToken(
  chain: Chain,
  chainConfig: ChainConfig,
  { name }: ExchangeConfig,
  token: Address,
  metadata: TokenMetadata | undefined,
  { now, dayBefore }: { readonly now: TokenState; readonly dayBefore: TokenState },
) {
  const { supports_erc: _, ...contract } = viewContract(chainConfig, token, standards.erc20, metadata);
  return {
    chain_name: chain.name,
    chain_id: String(chain.id),
    dex_name: name,
    ...contract,
    total_liquidity: now.reserve,
    total_volume_24h: volumeBetween(dayBefore, now),
    swap_count_24h: now.swaps - dayBefore.swaps,
    explorers: addressExplorers(chainConfig, token),
    quote_rate: null,
    quote_rate_24h: null,
    pretty_quote_rate: null,
    pretty_quote_rate_24h: null,
    pretty_total_liquidity_quote: null,
    pretty_total_volume_24h_quote: null,
    total_liquidity_quote: null,
    total_volume_24h_quote: null,
  };
}
