import type { ChainConfig } from "../../config/config.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { Address } from "../../lib/hex.ts";
import { viewContract } from "../tokens/view-token.ts";

/** A token of a pool as the fields that items about exchanges have of it: all but its standards, which go without saying. */
export function viewPoolContract(chain: ChainConfig, token: Address, metadata: TokenMetadata | undefined) {
  const contract = viewContract(chain, token, standards.erc20, metadata);
  // Each field by name: a page has hundreds of these.
  return {
    contract_decimals: contract.contract_decimals,
    contract_name: contract.contract_name,
    contract_ticker_symbol: contract.contract_ticker_symbol,
    contract_address: contract.contract_address,
    logo_url: contract.logo_url,
  };
}
