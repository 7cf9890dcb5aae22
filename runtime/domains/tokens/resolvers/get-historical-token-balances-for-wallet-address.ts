import { heightAt } from "../../at.ts";
import type { Handlers } from "../../context.ts";
import { chainHead } from "../../views/chain.ts";
import { viewHolding } from "../../views/token.ts";
import { holdingsOf } from "./holdings.ts";

/** What a wallet held after a block or at the end of a day. @throws {notAcceptable} a moment that is not indexed, or more than one answer may list. */
export const getHistoricalTokenBalancesForWalletAddress: Handlers["getHistoricalTokenBalancesForWalletAddress"] = async (
  request,
  context,
) => {
  const { chain, walletAddress, quoteCurrency, nft, noSpam } = request;
  const height = await heightAt(context, chain, request);
  const [holdings, indexedFrom] = await Promise.all([
    height === null ? [] : holdingsOf(context, chain, walletAddress, height, nft),
    context.ledger.indexedFrom(chain.id),
  ]);
  const chainConfig = context.chains.get(chain.id);
  return {
    address: walletAddress,
    ...chainHead(chain, context.now()),
    quote_currency: quoteCurrency,
    items: holdings.flatMap(({ row, metadata, isSpam, nftData }) => {
      const holding = viewHolding({ chain: chainConfig, classifier: context.classifier }, row, metadata, isSpam, nftData);
      if (noSpam && isSpam) return [];
      return [{ ...holding, block_height: height ?? 0, last_transferred_block_height: row.transfer_block }];
    }),
    indexed_from: indexedFrom,
  };
};
