import { decimal, parseDecimal, toText } from "../../lib/decimal.ts";
import { type Address, nativeTokenAddress } from "../../lib/hex.ts";
import { forEachInTurns } from "../../lib/turns.ts";
import type { ResolverContext } from "../context.ts";
import { marketplaceAddresses } from "./view-nft-sale-details.ts";

/** A token in a collection; `tokenId` is a decimal string. */
export interface CollectionToken {
  readonly collection: Address;
  readonly tokenId: string;
}

/** The fields of a held token about its last sale. */
export interface LastSale {
  readonly token_price_wei: string | null;
  readonly token_quote_rate_eth: string | null;
}

const noSale: LastSale = { token_price_wei: null, token_quote_rate_eth: null };

/**
 * Creates the lookup of each token's last price per unit up to a block, for sales at the configured marketplaces that were paid in the native token or a
 * wrapped one. The price is truncated to the smallest unit.
 */
export async function lastNativeSales(
  { chains, nftSales }: Pick<ResolverContext, "chains" | "nftSales">,
  chainId: number,
  tokens: readonly CollectionToken[],
  block: number,
): Promise<(token: CollectionToken) => LastSale> {
  const chain = chains.get(chainId);
  const marketplaces = marketplaceAddresses(chain);
  if (tokens.length === 0 || marketplaces.length === 0) return () => noSale;
  const rows = await nftSales.lastSales(chainId, tokens, marketplaces, [nativeTokenAddress, ...chain.wrappedNative], block);
  const sold = new Map<string, bigint>();
  await forEachInTurns(
    rows,
    ({ collection, token_id, unit_price }) => void sold.set(`${collection}${token_id}`, truncatedPrice(unit_price)),
  );
  return ({ collection, tokenId }) => {
    const wei = sold.get(`${collection}${tokenId}`);
    if (wei === undefined) return noSale;
    return { token_price_wei: wei.toString(), token_quote_rate_eth: formatTokens(wei, chain.nativeToken.decimals) };
  };
}

const truncatedPrice = (price: string): bigint => {
  const { digits, scale } = parseDecimal(price);
  return digits / 10n ** BigInt(scale);
};

/** Whole tokens as a decimal, without trailing zeros. */
const formatTokens = (wei: bigint, decimals: number): string =>
  decimals === 0 ? wei.toString() : toText(decimal(wei, decimals)).replace(/\.?0+$/, "");
