import type { Chain } from "../../../generated/requests.gen.ts";
import type { ApprovalPlace, ApprovalScope } from "../../domains/approvals/queries/allowance.ts";
import { type Labels, labelOf } from "../../domains/names/labels.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { Address } from "../../lib/hex.ts";
import { notAcceptable } from "../../lib/request-error.ts";
import { isoTimestamp } from "../../lib/time.ts";
import type { ResolverContext } from "../context.ts";
import { spamAmong } from "../tokens/spam.ts";

type Row = ApprovalPlace & { readonly token: Address; readonly spender: Address };

/** Approvals as an answer lists them, with what is known of their contracts. */
export interface Listed<R> {
  readonly rows: readonly R[];
  readonly metadata: ReadonlyMap<Address, TokenMetadata>;
  readonly labels: Labels;
}

/**
 * The approvals of a wallet that an answer can list. Where there are too many, which hostile contracts can bring about for anybody, only those that the wallet gave itself.
 * @throws {notAcceptable} a wallet that gave too many itself, or none of so many.
 */
export async function foundOf<R>(wallet: Address, most: number, ask: (limit: number, scope: ApprovalScope) => Promise<R[]>): Promise<R[]> {
  const all = await ask(most + 1, "all");
  if (all.length <= most) return all;
  const own = await ask(most + 1, "sent-by-owner");
  if (own.length === 0 || own.length > most) throw notAcceptable("walletAddress", wallet, `a wallet with at most ${most} approvals`);
  return own;
}

/**
 * Those approvals that are the owner's word: anybody can have a contract of their own say what owners allow, so what the owner did not send itself is left out
 * of contracts that the rules hold for spam.
 */
export async function listedOf<R extends Row>(context: ResolverContext, chain: Chain, rows: readonly R[]): Promise<Listed<R>> {
  const tokens = new Set(rows.map(({ token }) => token));
  const [metadata, labels] = await Promise.all([
    context.tokens.metadata(chain.id, tokens),
    context.labels(chain.id, new Set([...tokens, ...rows.map(({ spender }) => spender)])),
  ]);
  const given = new Set(rows.filter(({ is_own }) => !is_own).map(({ token }) => token));
  const spam = await spamAmong(
    context,
    chain,
    [...metadata.values()].filter(({ address }) => given.has(address)),
  );
  return { rows: rows.filter(({ is_own, token }) => is_own || !spam.has(token)), metadata, labels };
}

/** Where an approval was given, and to whom: the fields that all spenders begin with. */
export const viewSpender = (labels: Labels, row: Row) => ({
  block_height: row.block,
  tx_offset: row.transaction_index,
  log_offset: row.log_index,
  block_signed_at: isoTimestamp(row.timestamp),
  tx_hash: row.transaction_hash,
  spender_address: row.spender,
  spender_address_label: labelOf(labels, row.spender),
});
