import type { Chain } from "../../../../generated/requests.gen.ts";
import type { BalanceNftData } from "../../../../generated/responses.gen.ts";
import { groupBy } from "../../../lib/group-by.ts";
import type { Address } from "../../../lib/hex.ts";
import { notAcceptable } from "../../../lib/request-error.ts";
import type { ResolverContext } from "../../context.ts";
import { isCollection, viewHeldNft } from "../../views/token.ts";
import type { HoldingRow } from "../balance-queries.ts";
import { type TokenMetadata, undescribed } from "../metadata-queries.ts";
import { standards } from "../standards.ts";
import { knowsNativeBalances, tellNative, unknownNative } from "./native-balances.ts";
import { spamAmong } from "./spam.ts";

/** One asset of a wallet as of a block. */
export interface Holding {
  readonly row: HoldingRow;
  readonly metadata: TokenMetadata | undefined;
  /** By the rules. */
  readonly isSpam: boolean;
  /** The ids held of a collection; null where they were not asked for. */
  readonly nftData: BalanceNftData[] | null;
}

/** A token in one of its standards as the key of a map. */
export const holdingKey = ({ token, standard }: { readonly token: Address; readonly standard: number }): string => `${token}:${standard}`;

/** What a wallet held after a block, the native token first; a collection is one asset. @throws {notAcceptable} more than one answer may list. */
export async function holdingsOf(context: ResolverContext, chain: Chain, wallet: Address, block: number, nft: boolean): Promise<Holding[]> {
  const { tokens } = context;
  const most = context.limits.answerRows;
  const [held, metadata, ids, knowsNative, indexedFrom] = await Promise.all([
    tokens.holdingsAt(chain.id, wallet, block, most + 1),
    tokens.heldMetadata(chain.id, wallet, block, most + 1),
    nft ? tokens.nftBalancesAt(chain.id, wallet, block, most + 1) : [],
    knowsNativeBalances(context, chain),
    context.ledger.indexedFrom(chain.id),
  ]);
  if (held.length > most) throw notAcceptable("walletAddress", wallet, `a wallet with at most ${most} tokens`);
  if (ids.length > most) throw notAcceptable("nft", "true", `false for a wallet with more than ${most} token ids`);
  const told = tellNative(held, knowsNative);
  const rows = !knowsNative && held[0]?.standard !== standards.native ? [unknownNative, ...told] : told;
  for (const { token } of held) if (!metadata.has(token)) metadata.set(token, undescribed(token));
  const spam = await spamAmong(context, chain, metadata.values());
  const idsByKey = groupBy(ids, holdingKey);
  return rows.map((row) => ({
    row: indexedFrom !== null && isCoinToo(row, metadata.get(row.token)) ? { ...row, balance: null } : row,
    metadata: metadata.get(row.token),
    isSpam: spam.has(row.token),
    nftData: nft && isCollection(row.standard) ? (idsByKey.get(holdingKey(row)) ?? []).map((id) => viewHeldNft(wallet, id)) : null,
  }));
}

/**
 * EIP-20 and EIP-721 have one `balanceOf`: of a contract that is both it tells the coins. So how many tokens were had before an index began is not known.
 */
const isCoinToo = ({ standard }: HoldingRow, metadata: TokenMetadata | undefined): boolean =>
  standard === standards.erc721 && metadata?.standards.includes(standards.erc20) === true;
