import type { ChainConfig } from "../../config/config.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { Address } from "../../lib/hex.ts";
import { viewContract } from "../tokens/view-token.ts";

/** A token's contract fields in items about exchanges, which omit its standards. */
export function viewPoolContract(chain: ChainConfig, token: Address, metadata: TokenMetadata | undefined) {
  const contract = viewContract(chain, token, standards.erc20, metadata);
  // Assigned field by field, which is faster than spreading: a page has hundreds of these objects.
  return {
    contract_decimals: contract.contract_decimals,
    contract_name: contract.contract_name,
    contract_ticker_symbol: contract.contract_ticker_symbol,
    contract_address: contract.contract_address,
    logo_url: contract.logo_url,
  };
}
