import { isoTimestamp } from "../../lib/time.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { spamAmong } from "../tokens/spam.ts";

/** The collections with stored metadata, by address. */
export const getChainCollections: Handlers["getChainCollections"] = async ({ chain, noSpam, page }, context) => {
  const { indexedFrom, nftMetadata, tokens } = context;
  const { rows, total } = await nftMetadata.storedCollections(chain.id, context.anchor ?? -1, page.size + 1, page.number * page.size);
  const shown = rows.slice(0, page.size);
  const metadata = await tokens.metadata(
    chain.id,
    shown.map(({ token }) => token),
  );
  const spam = await spamAmong(context, chain, metadata.values());
  return {
    ...chainFields(chain, context.contentTime()),
    items: shown
      .filter(({ token }) => !(noSpam && spam.has(token)))
      .map(({ token, tokens: size, documents, assets, read_at: readAt }) => ({
        contract_address: token,
        contract_name: metadata.get(token)?.name ?? null,
        is_spam: spam.has(token),
        token_total_supply: indexedFrom === null ? size : null,
        cached_metadata_count: documents,
        cached_asset_count: assets,
        last_scraped_at: isoTimestamp(Math.floor(readAt.getTime() / 1000)),
      })),
    // The total is unknown if spam is omitted, because only the shown collections are classified.
    pagination: { has_more: rows.length > page.size, page_number: page.number, page_size: page.size, total_count: noSpam ? null : total },
  };
};
