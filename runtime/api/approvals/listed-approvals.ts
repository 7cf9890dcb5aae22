import type { Chain } from "../../../generated/requests.gen.ts";
import type { ApprovalPosition, ApprovalScope } from "../../domains/approvals/queries/allowance.ts";
import { type Labels, labelOf } from "../../domains/names/labels.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { Address } from "../../lib/hex.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { filterInTurns } from "../../lib/turns.ts";
import type { ResolverContext } from "../context.ts";
import { spamAmong } from "../tokens/spam.ts";

type Row = ApprovalPosition & { readonly token: Address; readonly spender: Address };

/** The approvals that a response lists, with their contracts' metadata and labels. */
export interface ListedApprovals<R> {
  readonly rows: readonly R[];
  readonly metadata: ReadonlyMap<Address, TokenMetadata>;
  readonly labels: Labels;
}

/**
 * Reads a wallet's approvals. If there are too many, because hostile contracts can emit approvals for any wallet, reads only those that the
 * wallet sent itself.
 * @throws {RequestError} 400 if there are also too many of these, or if the wallet sent none.
 */
export async function readApprovals<R>(
  wallet: Address,
  max: number,
  read: (limit: number, scope: ApprovalScope) => Promise<R[]>,
): Promise<R[]> {
  const all = await read(max + 1, "all");
  if (all.length <= max) return all;
  const sentByOwner = await read(max + 1, "sent-by-owner");
  if (sentByOwner.length === 0 || sentByOwner.length > max)
    throw unsupportedValue("walletAddress", wallet, `a wallet with at most ${max} approvals`);
  return sentByOwner;
}

/** Drops the approvals of spam contracts unless the owner sent them: a contract can emit approvals for any owner. */
export async function withoutSpam<R extends Row>(context: ResolverContext, chain: Chain, rows: readonly R[]): Promise<ListedApprovals<R>> {
  const tokens = new Set(rows.map(({ token }) => token));
  const [metadata, labels] = await Promise.all([
    context.tokens.metadata(chain.id, tokens),
    context.labels(chain.id, new Set([...tokens, ...rows.map(({ spender }) => spender)])),
  ]);
  const tokensWithUnsent = new Set(rows.filter(({ is_own }) => !is_own).map(({ token }) => token));
  const suspects = await filterInTurns(metadata.values(), ({ address }) => tokensWithUnsent.has(address));
  const spam = await spamAmong(context, chain, suspects);
  return { rows: await filterInTurns(rows, ({ is_own, token }) => is_own || !spam.has(token)), metadata, labels };
}

/** Every spender's first fields: the approval's position and transaction, and the address. */
export const viewSpender = (labels: Labels, row: Row) => ({
  block_height: row.block,
  tx_offset: row.transaction_index,
  log_offset: row.log_index,
  block_signed_at: isoTimestamp(row.timestamp),
  tx_hash: row.transaction_hash,
  spender_address: row.spender,
  spender_address_label: labelOf(labels, row.spender),
});
