import type { NftApprovalRow } from "../../domains/approvals/queries/nft-approval.ts";
import { unlimited } from "../../domains/approvals/unlimited.ts";
import { labelOf } from "../../domains/names/labels.ts";
import { groupBy } from "../../lib/group-by.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { readApprovals, viewSpender, withoutSpam } from "./listed-approvals.ts";

/** The current approvals of a wallet's collections, newest first. @throws {RequestError} 400 if a response cannot list them all. */
export const getNftApprovals: Handlers["getNftApprovals"] = async ({ chain, walletAddress }, context) => {
  const { approvals, indexedFrom, limits, now } = context;
  const max = limits.answerRows;
  const nftApprovals = await readApprovals(walletAddress, max, (limit, scope) =>
    approvals.nftApprovalsOf(chain.id, walletAddress, indexedFrom === null, limit, scope),
  );
  const tokens = new Set(nftApprovals.map(({ token }) => token));
  const [{ rows, metadata, labels }, held] = await Promise.all([
    withoutSpam(context, chain, nftApprovals),
    approvals.idsOf(chain.id, walletAddress, tokens, max + 1),
  ]);
  if (held.length > max)
    throw unsupportedValue("walletAddress", walletAddress, `a wallet that holds at most ${max} tokens in collections with approvals`);
  const idsOf = groupBy(held, ({ token }) => token);
  return {
    ...chainFields(chain, now()),
    address: walletAddress,
    items: [...groupBy([...rows].sort(newestFirst), ({ token }) => token)].map(([token, rowsOfToken]) => ({
      contract_address: token,
      contract_address_label: labelOf(labels, token),
      contract_ticker_symbol: metadata.get(token)?.symbol ?? null,
      token_balances: (idsOf.get(token) ?? []).map(({ token_id, balance }) => ({ token_id, token_balance: balance })),
      spenders: rowsOfToken.map((row) => ({
        ...viewSpender(labels, row),
        token_ids_approved: row.token_id ?? "ALL",
        allowance: row.token_id === null ? unlimited : "1",
      })),
    })),
    indexed_from: indexedFrom,
  };
};

const newestFirst = (left: NftApprovalRow, right: NftApprovalRow): number => right.block - left.block || right.log_index - left.log_index;
