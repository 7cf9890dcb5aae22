import type { BalanceItem } from "../../../generated/responses.gen.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import { secondsPerDay } from "../../lib/time.ts";
import { mapInTurns } from "../../lib/turns.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { quoteOf } from "../prices/view-quotes.ts";
import { holdingKey, holdingsOf } from "./holdings.ts";
import { hideUnknownNative } from "./native-balances.ts";
import { type HoldingRates, isNftStandard, viewHolding } from "./view-token.ts";

/**
 * A wallet's holdings at the indexed head, the native token first; a collection is one item.
 * @throws {RequestError} 400 if there are more rows than a response may have.
 */
export const getTokenBalancesForWalletAddress: Handlers["getTokenBalancesForWalletAddress"] = async (request, context) => {
  const { chain, walletAddress, quoteCurrency, noSpam } = request;
  const { anchor, indexedFrom } = context;
  const now = Math.floor(context.contentTime().getTime() / 1000);
  const read = context.prices.walletAt(chain.id, {
    owner: walletAddress,
    block: anchor ?? -1,
    currency: quoteCurrency,
    limit: context.limits.responseRows + 1,
    before: now - secondsPerDay + 1,
    times: [now, now - secondsPerDay],
  });
  const [{ balancesBefore, rates }, holdings, hasNative] = await Promise.all([
    read,
    anchor === null ? [] : holdingsOf(context, chain, walletAddress, anchor, request, read),
    context.ledger.hasNativeBalances(chain.id),
  ]);
  const balance24h = new Map(hideUnknownNative(balancesBefore ?? [], hasNative).map((row) => [holdingKey(row), row.balance]));
  // An asset without a row had a balance of 0 a day ago if the index is complete or has a block from before that time; otherwise its balance is unknown.
  const missingBalance = indexedFrom === null || balancesBefore !== null ? "0" : null;
  const chainConfig = context.chains.get(chain.id);
  const holdingRates: HoldingRates = {
    currency: quoteCurrency,
    rateOf: (asset) => rates.rate(asset, 0),
    usdRateOf: (asset) => rates.usd(asset, 0),
  };
  const shown = noSpam ? holdings.filter(({ isSpam }) => !isSpam) : holdings;
  return {
    address: walletAddress,
    ...chainFields(chain, context.contentTime()),
    quote_currency: quoteCurrency,
    items: await mapInTurns(shown, ({ row, metadata, isSpam, nftData }) => {
      const holding = viewHolding({ chain: chainConfig, classifier: context.classifier }, row, metadata, isSpam, nftData, holdingRates);
      const before = balance24h.get(holdingKey(row));
      const isUnknown = row.standard === standards.native && row.balance === null;
      const amount24h = before === undefined ? (isUnknown ? null : missingBalance) : before;
      const rate24h = isNftStandard(row.standard) ? null : rates.rate(row.token, 1);
      const quoted24h = quoteOf(amount24h, rate24h, holding.contract_decimals, quoteCurrency);
      // Assigned field by field, which is faster than spreading (see `viewHolding`).
      const item: BalanceItem = {
        contract_decimals: holding.contract_decimals,
        contract_name: holding.contract_name,
        contract_ticker_symbol: holding.contract_ticker_symbol,
        contract_address: holding.contract_address,
        supports_erc: holding.supports_erc,
        logo_url: holding.logo_url,
        contract_display_name: holding.contract_display_name,
        last_transferred_at: holding.last_transferred_at,
        native_token: holding.native_token,
        type: holding.type,
        is_spam: holding.is_spam,
        balance: holding.balance,
        quote_rate: holding.quote_rate,
        quote: holding.quote,
        pretty_quote: holding.pretty_quote,
        protocol_metadata: holding.protocol_metadata,
        nft_data: holding.nft_data,
        balance_source: holding.balance_source,
        logo_urls: { token_logo_url: holding.logo_url, protocol_logo_url: null, chain_logo_url: chainConfig.logoUrl ?? null },
        balance_24h: amount24h,
        quote_rate_24h: quoted24h.rate,
        quote_24h: quoted24h.quote,
        pretty_quote_24h: quoted24h.pretty,
      };
      return item;
    }),
    indexed_from: indexedFrom,
  };
};
