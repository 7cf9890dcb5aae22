import type { BalanceNftData } from "../../../generated/responses.gen.ts";
import type { ChainConfig } from "../../config/config.ts";
import type { Address } from "../../lib/hex.ts";
import type { NftBalanceRow } from "../tokens/balance-queries.ts";
import type { TokenMetadata } from "../tokens/metadata-queries.ts";
import { standards, supportsErc } from "../tokens/standards.ts";
import { nativeMetadata } from "./chain.ts";

/** A token, native or not, as the fields that every item about one begins with. */
export function viewContract(chain: ChainConfig, address: Address, standard: number, metadata: TokenMetadata | undefined) {
  if (standard === standards.native) return nativeMetadata(chain);
  return {
    contract_decimals: metadata?.decimals ?? null,
    contract_name: metadata?.name ?? null,
    contract_ticker_symbol: metadata?.symbol ?? null,
    contract_address: address,
    supports_erc: supportsErc(metadata?.standards.length ? metadata.standards : [standard]),
    logo_url: null,
  };
}

/** One token id that an owner holds. What its metadata says stays null until metadata is indexed. */
export const viewHeldNft = (owner: Address, row: NftBalanceRow): BalanceNftData => ({
  token_id: row.token_id,
  token_balance: row.balance,
  token_url: null,
  supports_erc: supportsErc([row.standard]),
  token_price_wei: null,
  token_quote_rate_eth: null,
  original_owner: null,
  external_data: null,
  owner,
  owner_address: owner,
  burned: false,
});
