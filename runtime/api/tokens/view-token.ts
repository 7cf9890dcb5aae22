import type { Currency } from "../../../generated/requests.gen.ts";
import type { BalanceNftData } from "../../../generated/responses.gen.ts";
import type { ChainConfig } from "../../config/config.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import type { Classifier } from "../../domains/tokens/classification/classifier.ts";
import { ercNamesOf, standards } from "../../domains/tokens/projection/standards.ts";
import type { NftBalanceRow } from "../../domains/tokens/queries/balance.ts";
import type { HoldingRow } from "../../domains/tokens/queries/holding.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { Address } from "../../lib/hex.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { nativeMetadata, tokenLogo } from "../chains/view-chain.ts";
import type { LastSale } from "../nft/last-sales.ts";
import { type NftDetails, viewExternalDataV1 } from "../nft/view-nft.ts";
import { quoteOf, valueAtRate, viewNumber } from "../prices/view-quotes.ts";

/** The rates for a response's holdings. */
export interface HoldingRates {
  readonly currency: Currency;
  readonly rateOf: (asset: Address) => Rate;
  /** In US dollars, the unit of the dust rule. */
  readonly usdRateOf: (asset: Address) => Rate;
}

/** The contract fields of an item about a token, which may be the native token. */
export function viewContract(chain: ChainConfig, address: Address, standard: number, metadata: TokenMetadata | undefined) {
  if (standard === standards.native) return nativeMetadata(chain);
  return {
    contract_decimals: metadata?.decimals ?? null,
    contract_name: metadata?.name ?? null,
    contract_ticker_symbol: metadata?.symbol ?? null,
    contract_address: address,
    supports_erc: ercNamesOf(metadata?.standards.length ? metadata.standards : [standard]),
    logo_url: tokenLogo(chain, address),
  };
}

/** Whether tokens of a standard are NFTs, which responses list by id in addition to their number. */
export const isNftStandard = (standard: number): boolean => standard === standards.erc721 || standard === standards.erc1155;

/** The fields that current and historical holdings share. A collection has no rate. */
export function viewHolding(
  { chain, classifier }: { readonly chain: ChainConfig; readonly classifier: Classifier },
  row: HoldingRow,
  metadata: TokenMetadata | undefined,
  isSpam: boolean,
  nftData: BalanceNftData[] | null,
  { currency, rateOf, usdRateOf }: HoldingRates,
) {
  const isPriced = !isNftStandard(row.standard);
  const classified = {
    chainId: chain.id,
    address: row.token,
    standard: row.standard,
    name: metadata?.name ?? null,
    symbol: metadata?.symbol ?? null,
    decimals: metadata?.decimals ?? null,
  };
  const contract = viewContract(chain, row.token, row.standard, metadata);
  const quoted = quoteOf(row.balance, isPriced ? rateOf(row.token) : null, contract.contract_decimals, currency);
  const valueUsd = isPriced ? viewNumber(valueAtRate(row.balance, usdRateOf(row.token))) : null;
  // Assigned field by field: a wallet may have tens of thousands of holdings, and spreading objects takes several times as long.
  return {
    contract_decimals: contract.contract_decimals,
    contract_name: contract.contract_name,
    contract_ticker_symbol: contract.contract_ticker_symbol,
    contract_address: contract.contract_address,
    supports_erc: contract.supports_erc,
    logo_url: contract.logo_url,
    contract_display_name: contract.contract_name,
    last_transferred_at: row.transfer_timestamp === null ? null : isoTimestamp(row.transfer_timestamp),
    native_token: row.standard === standards.native,
    type: classifier.typeOf(classified, valueUsd).value,
    is_spam: isSpam,
    balance: row.balance,
    quote_rate: quoted.rate,
    quote: quoted.quote,
    pretty_quote: quoted.pretty,
    protocol_metadata: null,
    nft_data: nftData,
    balance_source: row.balance === null ? null : row.source,
  };
}

/** An NFT that an owner holds; its metadata is undefined if it was not read or not requested. */
export const viewHeldNft = (
  owner: Address,
  row: NftBalanceRow,
  { originalOwner, metadata, lastSale, noMetadata }: HeldNftDetails,
): BalanceNftData => ({
  token_id: row.token_id,
  token_balance: row.balance,
  token_url: metadata?.token_url ?? null,
  supports_erc: ercNamesOf([row.standard]),
  token_price_wei: lastSale.token_price_wei,
  token_quote_rate_eth: lastSale.token_quote_rate_eth,
  original_owner: originalOwner,
  external_data: noMetadata ? null : viewExternalDataV1(metadata),
  owner,
  owner_address: owner,
  burned: false,
});

/** A held NFT's data in addition to its balance. */
interface HeldNftDetails extends Pick<NftDetails, "originalOwner" | "metadata"> {
  readonly lastSale: LastSale;
  readonly noMetadata: boolean;
}
