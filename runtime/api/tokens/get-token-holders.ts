import { standards } from "../../domains/tokens/projection/standards.ts";
import { notFound } from "../../lib/request-error.ts";
import { mapInTurns } from "../../lib/turns.ts";
import { resolveBlockOrDay } from "../block-references.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { viewContract } from "./view-token.ts";

/** Max rows of an early page, counted from the largest holder: reading them takes less time than a round trip to the database. */
const maxEarlyRows = 1_000;

/**
 * The holders of a token, largest first, at the anchor or at an earlier block or day.
 * @throws {RequestError} 404 if the contract has no transfers, 400 if the block or day is not indexed.
 */
export const getTokenHolders: Handlers["getTokenHolders"] = async (request, context) => {
  const { chain, tokenAddress, page } = request;
  const { indexedFrom, ledger, tokenRequests, tokens } = context;
  const metadata = (await tokens.metadata(chain.id, [tokenAddress])).get(tokenAddress);
  const standard = metadata?.standards[0];
  if (standard === undefined) throw notFound("Token", tokenAddress, chain.name);
  if (standard === standards.erc20) tokenRequests.record(chain.id, [tokenAddress]);
  const height = (await resolveBlockOrDay(context, chain, request)) ?? 0;
  const offset = page.number * page.size;
  const head = await ledger.head(chain.id);
  const isLastBlock = head !== null && height >= head.number;
  // The totals determine from which end a later page is read; an early page is read together with them.
  const isEarly = isLastBlock && offset + page.size <= maxEarlyRows;
  const early = isEarly ? await tokens.topHolders(chain.id, tokenAddress, standard, height, { limit: page.size + 1, offset }) : null;
  const totals = early === null ? await tokens.tokenTotalsAt(chain.id, tokenAddress, standard, height) : early.totals;
  // An index that starts late only includes the holders that have transferred or received the token since.
  const total = indexedFrom !== null ? null : totals === null ? 0 : totals.holders;
  const limit = total === null ? page.size + 1 : Math.max(0, Math.min(page.size + 1, total - offset));
  const rows =
    limit === 0
      ? []
      : (early?.rows.slice(0, limit) ??
        (await tokens.holdersAt(chain.id, tokenAddress, standard, height, { limit, offset, total, isLastBlock })));
  // Copying an object that has all fields is much faster than adding fields to a copy of the contract.
  const item = {
    ...viewContract(context.chains.get(chain.id), tokenAddress, standard, metadata),
    address: tokenAddress,
    balance: "0",
    total_supply: totals?.supply ?? null,
    block_height: height,
    balance_source: totals?.source ?? "events",
  };
  return {
    ...chainFields(chain, context.contentTime()),
    items: await mapInTurns(rows.slice(0, page.size), ({ owner, balance }) => ({ ...item, address: owner, balance })),
    pagination: { has_more: rows.length > page.size, page_number: page.number, page_size: page.size, total_count: total },
    indexed_from: indexedFrom,
  };
};
