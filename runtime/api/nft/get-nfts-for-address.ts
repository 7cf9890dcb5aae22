import type { NftData } from "../../../generated/responses.gen.ts";
import { emptyMetadata } from "../../domains/tokens/queries/metadata.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { forEachInTurns, mapInTurns } from "../../lib/turns.ts";
import { updatedAt } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { formatQuote, viewNumber } from "../prices/view-quotes.ts";
import { holdingKey, isAlsoErc20 } from "../tokens/holdings.ts";
import { spamAmong } from "../tokens/spam.ts";
import { readBlockDayAgo } from "./block-day-ago.ts";
import { standardsOf, viewCollection } from "./collection.ts";
import { currentFloors } from "./floors.ts";
import { viewHeldTokens } from "./held-tokens.ts";

/** The currency of floor prices, because the operation has no quote-currency parameter. */
const floorCurrency = "USD";

/** The collections and token ids that a wallet holds. @throws {RequestError} 400 if there are more than a response may list. */
export const getNftsForAddress: Handlers["getNftsForAddress"] = async (request, context) => {
  const { chain, walletAddress, noSpam, noNftAssetMetadata, withUncached } = request;
  const { anchor, nftMetadata, tokens } = context;
  const max = context.limits.responseRows;
  const { block: comparisonBlock, indexedFrom, missingBalance } = await readBlockDayAgo(context, chain);
  const span = { block: anchor ?? -1, comparisonBlock, limit: max + 1 };
  const { collections: held, tokens: ids } = await nftMetadata.tokensHeldAt(chain.id, walletAddress, span);
  if (Math.max(held.length, ids.length) > max)
    throw unsupportedValue("walletAddress", walletAddress, `a wallet with at most ${max} tokens`);
  const collections = held.map(({ token }) => token);
  const [metadata, floors, viewed] = await Promise.all([
    tokens.metadata(chain.id, collections),
    currentFloors(context, chain, collections, floorCurrency),
    viewHeldTokens(context, chain, walletAddress, ids, { noMetadata: noNftAssetMetadata, withUncached }),
  ]);
  const spam = await spamAmong(context, chain, metadata.values());
  const byCollection = new Map<string, NftData[]>();
  await forEachInTurns(ids, (id, index) => {
    const data = viewed[index];
    if (data === undefined) return;
    const collected = byCollection.get(holdingKey(id));
    if (collected === undefined) byCollection.set(holdingKey(id), [data]);
    else collected.push(data);
  });
  return {
    address: walletAddress,
    updated_at: updatedAt(context.contentTime()),
    items: await mapInTurns(
      held.filter(({ token }) => !(noSpam && spam.has(token))),
      (row) => {
        const described = metadata.get(row.token) ?? emptyMetadata(row.token);
        const isUnknown = indexedFrom !== null && isAlsoErc20(row, described);
        const floor = floors.get(row.token);
        return {
          ...viewCollection(described),
          supports_erc: standardsOf(described, row.standard),
          is_spam: spam.has(row.token),
          last_transfered_at: row.moved_at === null ? null : isoTimestamp(row.moved_at),
          balance: isUnknown ? null : row.balance,
          balance_24h: isUnknown ? null : comparisonBlock === null ? missingBalance : row.balance_before,
          type: "nft" as const,
          floor_price_quote: viewNumber(floor?.quote ?? null),
          pretty_floor_price_quote: formatQuote(floor?.quote ?? null, floorCurrency),
          floor_price_native_quote: viewNumber(floor?.native ?? null),
          nft_data: byCollection.get(holdingKey(row)) ?? [],
        };
      },
    ),
    indexed_from: indexedFrom,
  };
};
