import type { GetHistoricalTokenBalancesForWalletAddressRequest } from "../../../generated/requests.gen.ts";
import type { OwnedTokenRates } from "../../domains/prices/queries/owned-token-rates.ts";
import { secondsPerDay, startOfDay } from "../../lib/time.ts";
import { mapInTurns } from "../../lib/turns.ts";
import { resolveBlockOrDay } from "../block-references.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers, ResolverContext } from "../context.ts";
import { holdingsOf } from "./holdings.ts";
import { type HoldingRates, viewHolding } from "./view-token.ts";

/**
 * A wallet's holdings after a block or at the end of a day.
 * @throws {RequestError} 400 if the block or day is not indexed, or if there are more rows than a response may have.
 */
export const getHistoricalTokenBalancesForWalletAddress: Handlers["getHistoricalTokenBalancesForWalletAddress"] = async (
  request,
  context,
) => {
  const { chain, walletAddress, quoteCurrency, noSpam } = request;
  const height = await resolveBlockOrDay(context, chain, request);
  const { indexedFrom } = context;
  const [holdings, rates] = await Promise.all([
    height === null ? [] : holdingsOf(context, chain, walletAddress, height, request),
    ratesAt(context, request, height),
  ]);
  const chainConfig = context.chains.get(chain.id);
  const shown = noSpam ? holdings.filter(({ isSpam }) => !isSpam) : holdings;
  return {
    address: walletAddress,
    ...chainFields(chain, context.contentTime()),
    quote_currency: quoteCurrency,
    items: await mapInTurns(shown, ({ row, metadata, isSpam, nftData }) => {
      const holding = viewHolding({ chain: chainConfig, classifier: context.classifier }, row, metadata, isSpam, nftData, rates);
      return { ...holding, block_height: height ?? 0, last_transferred_block_height: row.transfer_block };
    }),
    indexed_from: indexedFrom,
  };
};

/** Rates at a day's close or at the time of the block; current rates if there is neither. */
async function ratesAt(
  { ledger, prices, contentTime }: ResolverContext,
  { chain, walletAddress, quoteCurrency, date, blockHeight }: GetHistoricalTokenBalancesForWalletAddressRequest,
  height: number | null,
): Promise<HoldingRates> {
  const ownedRates = async (): Promise<OwnedTokenRates> => {
    if (date !== null) return prices.ownedTokenRatesOfDays(chain.id, quoteCurrency, walletAddress, [startOfDay(date) / secondsPerDay]);
    const block = blockHeight === null || height === null ? null : await ledger.blockByNumber(chain.id, height);
    return prices.ownedTokenRatesAt(chain.id, quoteCurrency, walletAddress, [block?.timestamp ?? contentTime().getTime() / 1000]);
  };
  const owned = await ownedRates();
  return { currency: quoteCurrency, rateOf: (asset) => owned.rate(asset, 0), usdRateOf: (asset) => owned.usd(asset, 0) };
}
