import type { GetHistoricalTokenBalancesForWalletAddressRequest } from "../../../generated/requests.gen.ts";
import type { OwnedRates } from "../../domains/prices/queries/owned-rates.ts";
import { secondsPerDay, startOfDay } from "../../lib/time.ts";
import { mapInTurns } from "../../lib/turns.ts";
import { heightAt } from "../block-references.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers, ResolverContext } from "../context.ts";
import { holdingsOf } from "./holdings.ts";
import { type HoldingQuotes, viewHolding } from "./view-token.ts";

/**
 * A wallet's holdings after a block or at the end of a day.
 * @throws {RequestError} 400 if the block or day is not indexed, or if there are more rows than a response may have.
 */
export const getHistoricalTokenBalancesForWalletAddress: Handlers["getHistoricalTokenBalancesForWalletAddress"] = async (
  request,
  context,
) => {
  const { chain, walletAddress, quoteCurrency, noSpam } = request;
  const height = await heightAt(context, chain, request);
  const { indexedFrom } = context;
  const [holdings, quotes] = await Promise.all([
    height === null ? [] : holdingsOf(context, chain, walletAddress, height, request),
    quotesAt(context, request, height),
  ]);
  const chainConfig = context.chains.get(chain.id);
  const shown = noSpam ? holdings.filter(({ isSpam }) => !isSpam) : holdings;
  return {
    address: walletAddress,
    ...chainFields(chain, context.now()),
    quote_currency: quoteCurrency,
    items: await mapInTurns(shown, ({ row, metadata, isSpam, nftData }) => {
      const holding = viewHolding({ chain: chainConfig, classifier: context.classifier }, row, metadata, isSpam, nftData, quotes);
      return { ...holding, block_height: height ?? 0, last_transferred_block_height: row.transfer_block };
    }),
    indexed_from: indexedFrom,
  };
};

/** Rates at a day's close or at the time of the block; current rates if there is neither. */
async function quotesAt(
  { ledger, prices, now }: ResolverContext,
  { chain, walletAddress, quoteCurrency, date, blockHeight }: GetHistoricalTokenBalancesForWalletAddressRequest,
  height: number | null,
): Promise<HoldingQuotes> {
  const ownedRates = async (): Promise<OwnedRates> => {
    if (date !== null) return prices.ratesOwnedOfDays(chain.id, quoteCurrency, walletAddress, [startOfDay(date) / secondsPerDay]);
    const block = blockHeight === null || height === null ? null : await ledger.blockByNumber(chain.id, height);
    return prices.ratesOwnedAt(chain.id, quoteCurrency, walletAddress, [block?.timestamp ?? now().getTime() / 1000]);
  };
  const rates = await ownedRates();
  return { currency: quoteCurrency, rate: (asset) => rates.rate(asset, 0), usd: (asset) => rates.usd(asset, 0) };
}
