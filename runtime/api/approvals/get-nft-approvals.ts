import type { NftApprovalRow } from "../../domains/approvals/queries/nft-approval.ts";
import { unlimited } from "../../domains/approvals/unlimited.ts";
import { labelOf } from "../../domains/names/labels.ts";
import { groupBy } from "../../lib/group-by.ts";
import { notAcceptable } from "../../lib/request-error.ts";
import { chainHead } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { foundOf, listedOf, viewSpender } from "./listed.ts";

/** The standing approvals of a wallet's collections now, the last given first. @throws {notAcceptable} more than one answer may list. */
export const getNftApprovals: Handlers["getNftApprovals"] = async ({ chain, walletAddress }, context) => {
  const { approvals, limits, now } = context;
  const most = limits.answerRows;
  const indexedFrom = await context.ledger.indexedFrom(chain.id);
  const found = await foundOf(walletAddress, most, (limit, given) =>
    approvals.nftApprovalsOf(chain.id, walletAddress, indexedFrom === null, limit, given),
  );
  const tokens = new Set(found.map(({ token }) => token));
  const [{ rows, metadata, labels }, held] = await Promise.all([
    listedOf(context, chain, found),
    approvals.idsOf(chain.id, walletAddress, tokens, most + 1),
  ]);
  if (held.length > most)
    throw notAcceptable("walletAddress", walletAddress, `a wallet with at most ${most} tokens of its approved collections`);
  const idsOf = groupBy(held, ({ token }) => token);
  return {
    ...chainHead(chain, now()),
    address: walletAddress,
    items: [...groupBy([...rows].sort(byPlace), ({ token }) => token)].map(([token, given]) => ({
      contract_address: token,
      contract_address_label: labelOf(labels, token),
      contract_ticker_symbol: metadata.get(token)?.symbol ?? null,
      token_balances: (idsOf.get(token) ?? []).map(({ token_id, balance }) => ({ token_id, token_balance: balance })),
      spenders: given.map((row) => ({
        ...viewSpender(labels, row),
        token_ids_approved: row.token_id ?? "ALL",
        allowance: row.token_id === null ? unlimited : "1",
      })),
    })),
    indexed_from: indexedFrom,
  };
};

/** The last one first. */
const byPlace = (left: NftApprovalRow, right: NftApprovalRow): number => right.block - left.block || right.log_index - left.log_index;
