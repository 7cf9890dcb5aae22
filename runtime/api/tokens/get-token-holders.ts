import { standards } from "../../domains/tokens/projection/standards.ts";
import { notFound } from "../../lib/request-error.ts";
import { heightAt } from "../at.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { viewContract } from "./view-token.ts";

/**
 * The holders of a token, largest first, at the anchor or at an earlier block or day. @throws {notFound} a contract without transfers.
 * @throws {unsupportedValue} a block or day that is not indexed.
 */
export const getTokenHolders: Handlers["getTokenHolders"] = async (request, context) => {
  const { chain, tokenAddress, page } = request;
  const { ledger, tokenRequests, tokens } = context;
  const metadata = (await tokens.metadata(chain.id, [tokenAddress])).get(tokenAddress);
  const standard = metadata?.standards[0];
  if (standard === undefined) throw notFound("Token", tokenAddress, chain.name);
  if (standard === standards.erc20) tokenRequests.record(chain.id, [tokenAddress]);
  const height = (await heightAt(context, chain, request)) ?? 0;
  const offset = page.number * page.size;
  const [totals, indexedFrom] = await Promise.all([
    tokens.tokenTotalsAt(chain.id, tokenAddress, standard, height),
    ledger.indexedFrom(chain.id),
  ]);
  // An index that started late knows only the holders that moved the token since.
  const total = indexedFrom !== null ? null : totals === null ? 0 : totals.holders;
  const wanted = total === null ? page.size + 1 : Math.min(page.size + 1, total - offset);
  const rows = wanted <= 0 ? [] : await tokens.holdersAt(chain.id, tokenAddress, standard, height, wanted, offset, total);
  const contract = viewContract(context.chains.get(chain.id), tokenAddress, standard, metadata);
  return {
    ...chainFields(chain, context.now()),
    items: rows.slice(0, page.size).map(({ owner, balance }) => ({
      ...contract,
      address: owner,
      balance,
      total_supply: totals?.supply ?? null,
      block_height: height,
      balance_source: totals?.source ?? "events",
    })),
    pagination: { has_more: rows.length > page.size, page_number: page.number, page_size: page.size, total_count: total },
    indexed_from: indexedFrom,
  };
};
