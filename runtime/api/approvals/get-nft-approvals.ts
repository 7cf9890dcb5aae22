import type { NftApprovalsItem } from "../../../generated/responses.gen.ts";
import type { NftApprovalRow } from "../../domains/approvals/queries/nft-approval.ts";
import { unlimitedText } from "../../domains/approvals/unlimited.ts";
import { labelOf } from "../../domains/names/labels.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import { sortInTurns } from "../../lib/sort-in-turns.ts";
import { forEachInTurns, groupInTurns, mapInTurns } from "../../lib/turns.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { readApprovals, viewSpender, withoutSpam } from "./listed-approvals.ts";

/** The current approvals of a wallet's collections, newest first. @throws {RequestError} 400 if a response cannot list them all. */
export const getNftApprovals: Handlers["getNftApprovals"] = async ({ chain, walletAddress }, context) => {
  const { approvals, indexedFrom, limits, contentTime } = context;
  const max = limits.responseRows;
  const nftApprovals = await readApprovals(walletAddress, max, (limit, scope) =>
    approvals.nftApprovalsOf(chain.id, walletAddress, indexedFrom === null, limit, scope),
  );
  const tokens = new Set(nftApprovals.map(({ token }) => token));
  const [{ rows, metadata, labels }, held] = await Promise.all([
    withoutSpam(context, chain, nftApprovals),
    approvals.heldIdsOf(chain.id, walletAddress, tokens, max + 1),
  ]);
  if (held.length > max)
    throw unsupportedValue("walletAddress", walletAddress, `a wallet that holds at most ${max} tokens in collections with approvals`);
  const idsOf = await groupInTurns(held, ({ token }) => token);
  const byToken = await groupInTurns(await sortInTurns(rows, newestFirst), ({ token }) => token);
  const items: NftApprovalsItem[] = [];
  await forEachInTurns(byToken, async ([token, rowsOfToken]) => {
    const ids = idsOf.get(token) ?? [];
    items.push({
      contract_address: token,
      contract_address_label: labelOf(labels, token),
      contract_ticker_symbol: metadata.get(token)?.symbol ?? null,
      token_balances: await mapInTurns(ids, ({ token_id, balance }) => ({ token_id, token_balance: balance })),
      spenders: await mapInTurns(rowsOfToken, (row) => ({
        ...viewSpender(labels, row),
        token_ids_approved: row.token_id ?? "ALL",
        allowance: row.token_id === null ? unlimitedText : "1",
      })),
    });
  });
  return {
    ...chainFields(chain, contentTime()),
    address: walletAddress,
    items,
    indexed_from: indexedFrom,
  };
};

const newestFirst = (left: NftApprovalRow, right: NftApprovalRow): number => right.block - left.block || right.log_index - left.log_index;
