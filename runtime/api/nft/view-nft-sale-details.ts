import type { NftSalesReport } from "../../../generated/responses.gen.ts";
import type { ChainConfig } from "../../config/config.ts";
import type { TransactionRow } from "../../domains/ledger/queries/transaction.ts";
import { salesProjectionId } from "../../domains/nft-sales/projection/index.ts";
import { marketplaceProtocols } from "../../domains/nft-sales/projection/marketplaces/index.ts";
import type { SaleRow } from "../../domains/nft-sales/queries.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import { type Decimal, multiply, parseDecimal, shift, toText, truncate } from "../../lib/decimal.ts";
import { groupBy } from "../../lib/group-by.ts";
import { type Address, nativeTokenAddress, zeroAddress } from "../../lib/hex.ts";
import { includesBlock } from "../as-of-projection.ts";
import { nativeMetadata } from "../chains/view-chain.ts";
import type { ResolverContext } from "../context.ts";
import { formatQuote, ratePerWholeToken, viewNumber } from "../prices/view-quotes.ts";
import { createPaymentRate, type PaymentRate } from "./payment-values.ts";

/** The marketplaces whose sales are included. */
export const marketplaceAddresses = ({ nfts }: ChainConfig): readonly Address[] => nfts.marketplaces.map(({ address }) => address);

/** The data that all reports about one transaction share. */
interface ReportContext {
  readonly chain: ChainConfig;
  readonly metadata: ReadonlyMap<Address, TokenMetadata>;
  /** US dollars per smallest unit at the time of the transaction. */
  readonly usd: (asset: Address) => Rate;
  readonly rateOfPayment: PaymentRate;
}

/** A transaction's sales at the configured marketplaces, in order; null if its block's sales are not indexed yet. */
export async function viewNftSaleDetails(
  context: ResolverContext,
  chainId: number,
  transaction: TransactionRow,
): Promise<NftSalesReport[] | null> {
  const { checkpoints, nftSales, prices, tokens } = context;
  const chain = context.chains.get(chainId);
  if (!includesBlock(checkpoints, salesProjectionId, transaction.block_number)) return null;
  if (chain.nfts.marketplaces.length === 0) return [];
  const rows = await nftSales.salesOfTransaction(chainId, transaction, marketplaceAddresses(chain));
  if (rows.length === 0) return [];
  const paid = [...new Set(rows.map(({ payment_token }) => payment_token ?? zeroAddress))].filter((token) => token !== zeroAddress);
  const assets = [...new Set([...paid, nativeTokenAddress])];
  const [metadata, rates] = await Promise.all([
    tokens.metadata(chainId, [...paid, ...rows.map(({ collection }) => collection)]),
    prices.ratesAtTimes(
      chainId,
      "USD",
      assets.map((asset) => ({ asset, time: transaction.timestamp })),
    ),
  ]);
  const rateOf = new Map(assets.map((asset, position) => [asset, rates[position] ?? null]));
  const usd = (asset: Address) => rateOf.get(chain.wrappedNative.includes(asset) ? nativeTokenAddress : asset) ?? null;
  const reportContext = { chain, metadata, usd, rateOfPayment: createPaymentRate(usd, chain.wrappedNative, chain.nativeToken.decimals) };
  const bySale = groupBy(rows, ({ log_index }) => log_index);
  return rows.map((row) => viewReport(row, bySale.get(row.log_index) ?? [row], rows, reportContext));
}

const countTokens = (rows: readonly SaleRow[]): number => new Set(rows.map(({ collection, token_id }) => `${collection}${token_id}`)).size;
const countCollections = (rows: readonly SaleRow[]): number => new Set(rows.map(({ collection }) => collection)).size;

const viewReport = (row: SaleRow, sale: readonly SaleRow[], all: readonly SaleRow[], reportContext: ReportContext): NftSalesReport => {
  const { chain, metadata } = reportContext;
  const marketplace = chain.nfts.marketplaces.find(({ address }) => address === row.marketplace);
  const [maker, taker] = row.maker_is_buyer ? [row.buyer, row.seller] : [row.seller, row.buyer];
  const tokenIdCount = countTokens(sale);
  return {
    log_offset: row.log_index,
    topic0: marketplaceProtocols.find(({ code }) => code === row.protocol)?.topic0 ?? zeroTopic,
    protocol_contract_address: row.marketplace,
    protocol_name: marketplace?.name ?? null,
    protocol_logo_url: marketplace?.logoUrl ?? null,
    to: row.buyer,
    from: row.seller,
    maker,
    taker,
    token_id: row.token_id,
    collection_address: row.collection,
    collection_name: metadata.get(row.collection)?.name ?? null,
    ...viewPayment(row, reportContext),
    token_count: Number(row.units),
    num_token_ids_sold_per_sale: tokenIdCount,
    num_token_ids_sold_per_tx: countTokens(all),
    num_collections_sold_per_sale: countCollections(sale),
    num_collections_sold_per_tx: countCollections(all),
    trade_type: tokenIdCount > 1 ? "bundle" : "single",
    trade_group_type: sale.length < all.length ? "group" : "single",
    is_wash_trade: row.is_wash,
  };
};

const zeroTopic = `0x${"0".repeat(64)}`;

const viewPayment = ({ payment_token, unit_price }: SaleRow, { chain, metadata, usd, rateOfPayment }: ReportContext) => {
  const isNative = payment_token === nativeTokenAddress;
  const paymentMetadata = payment_token === null ? undefined : metadata.get(payment_token);
  const token = isNative ? nativeMetadata(chain) : null;
  const decimals = token?.contract_decimals ?? paymentMetadata?.decimals ?? null;
  const rate = payment_token === null ? null : usd(payment_token);
  const price = unit_price === null ? null : parseDecimal(unit_price);
  const nativeRate = payment_token === null ? null : rateOfPayment(payment_token).native;
  const dollars = multiplyByRate(price, rate);
  const native = multiplyByRate(price, nativeRate);
  return {
    token_address: payment_token,
    token_name: token?.contract_name ?? paymentMetadata?.name ?? null,
    ticker_symbol: token?.contract_ticker_symbol ?? paymentMetadata?.symbol ?? null,
    num_decimals: decimals,
    contract_quote_rate: viewNumber(ratePerWholeToken(rate, decimals)),
    nft_token_price: viewNumber(price === null || decimals === null ? null : shift(price, -decimals)),
    nft_token_price_usd: viewNumber(dollars),
    pretty_nft_token_price_usd: formatQuote(dollars, "USD"),
    nft_token_price_native: viewNumber(native),
    pretty_nft_token_price_native: native === null ? null : `${formatNative(native, chain)} ${chain.nativeToken.symbol}`,
  };
};

const multiplyByRate = (price: Decimal | null, rate: Rate): Decimal | null =>
  price === null || rate === null ? null : multiply(price, rate);

/** Rounds down to the smallest unit of the native token, without trailing zeros. */
const formatNative = (native: Decimal, { nativeToken: { decimals } }: ChainConfig): string => {
  const { digits, scale } = native;
  const whole = scale <= decimals ? native : { digits: digits / 10n ** BigInt(scale - decimals), scale: decimals };
  return toText(truncate(whole));
};
