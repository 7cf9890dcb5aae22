import type { Chain } from "../../../generated/requests.gen.ts";
import type { BalanceNftData } from "../../../generated/responses.gen.ts";
import { nftKeyText } from "../../domains/nft/queries/tokens.ts";
import { metadataKeyText } from "../../domains/nft-metadata/queries/metadata.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { NftBalanceRow } from "../../domains/tokens/queries/balance.ts";
import type { HeldTokens, HoldingRow } from "../../domains/tokens/queries/holding.ts";
import { emptyMetadata, type TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { Address } from "../../lib/hex.ts";
import { unsupportedValue } from "../../lib/request-error.ts";
import { filterInTurns, forEachInTurns, mapInTurns } from "../../lib/turns.ts";
import type { ResolverContext } from "../context.ts";
import { lastNativeSales } from "../nft/last-sales.ts";
import { hideUnknownNative, unknownNative } from "./native-balances.ts";
import { spamAmong } from "./spam.ts";
import { isNftStandard, viewHeldNft } from "./view-token.ts";

/** One of a wallet's assets as of a block. */
export interface Holding {
  readonly row: HoldingRow;
  readonly metadata: TokenMetadata | undefined;
  /** By the classification rules. */
  readonly isSpam: boolean;
  /** The wallet's token ids in a collection; null if they were not requested. */
  readonly nftData: BalanceNftData[] | null;
}

/** A map key for a token and one of its standards. */
export const holdingKey = ({ token, standard }: { readonly token: Address; readonly standard: number }): string => `${token}:${standard}`;

/** Whether to include the token ids of collections, to limit them to ids with cached metadata, and to omit their metadata. */
interface HoldingOptions {
  readonly nft: boolean;
  readonly noNftFetch: boolean;
  readonly noNftAssetMetadata: boolean;
}

/** Max tokens per wallet that are recorded as requested, so that they are compared with their contracts more often. */
const maxRecordedTokens = 200;

/**
 * A wallet's holdings after a block, the native token first; a collection is one asset. `read` resolves to the holdings if they are already being
 * read, limited to one row more than a response may have. @throws {RequestError} 400 if there are more rows than a response may have.
 */
export async function holdingsOf(
  context: ResolverContext,
  chain: Chain,
  wallet: Address,
  block: number,
  options: HoldingOptions,
  read?: Promise<HeldTokens>,
): Promise<Holding[]> {
  const { indexedFrom, tokens } = context;
  const { nft } = options;
  const max = context.limits.responseRows;
  const [{ holdings: held, metadata }, ids, hasNative] = await Promise.all([
    read ?? tokens.holdingsAt(chain.id, wallet, block, max + 1),
    nft ? tokens.nftBalancesAt(chain.id, wallet, block, max + 1) : [],
    context.ledger.hasNativeBalances(chain.id),
  ]);
  if (held.length > max) throw unsupportedValue("walletAddress", wallet, `a wallet with at most ${max} tokens`);
  if (ids.length > max) throw unsupportedValue("nft", "true", `false for a wallet with more than ${max} token ids`);
  const servable = hideUnknownNative(held, hasNative);
  const rows = !hasNative && held[0]?.standard !== standards.native ? [unknownNative, ...servable] : servable;
  for (const { token } of held) if (!metadata.has(token)) metadata.set(token, emptyMetadata(token));
  const [spam, described] = await Promise.all([
    spamAmong(context, chain, metadata.values()),
    heldNfts(context, chain, wallet, ids, block, options),
  ]);
  const requested = held.filter(({ standard, token }) => standard === standards.erc20 && !spam.has(token)).slice(0, maxRecordedTokens);
  context.tokenRequests.record(
    chain.id,
    requested.map(({ token }) => token),
  );
  return mapInTurns(rows, (row) => ({
    row: indexedFrom !== null && isAlsoErc20(row, metadata.get(row.token)) ? { ...row, balance: null } : row,
    metadata: metadata.get(row.token),
    isSpam: spam.has(row.token),
    nftData: nft && isNftStandard(row.standard) ? (described.get(holdingKey(row)) ?? []) : null,
  }));
}

/** The ids that a wallet holds, by collection. */
async function heldNfts(
  context: ResolverContext,
  chain: Chain,
  wallet: Address,
  ids: readonly NftBalanceRow[],
  block: number,
  { noNftFetch, noNftAssetMetadata: noMetadata }: HoldingOptions,
): Promise<Map<string, BalanceNftData[]>> {
  const { nfts, nftMetadata } = context;
  const soldToken = ({ token, token_id }: NftBalanceRow) => ({ collection: token, tokenId: token_id });
  const metadataRead = nftMetadata.metadataOf(chain.id, ids);
  // Nothing else is queried for ids that are omitted.
  const cached = noNftFetch ? await metadataRead : null;
  const shown = cached === null ? ids : await filterInTurns(ids, (id) => cached.get(metadataKeyText(id))?.has_document === true);
  const [metadata, originalOwners, lastSaleOf] = await Promise.all([
    metadataRead,
    nfts.originalOwners(chain.id, shown),
    lastNativeSales(context, chain.id, shown.map(soldToken), block),
  ]);
  const viewed = new Map<string, BalanceNftData[]>();
  await forEachInTurns(shown, (row) => {
    const nft = viewHeldNft(wallet, row, {
      originalOwner: originalOwners.get(nftKeyText(row)) ?? null,
      metadata: metadata.get(metadataKeyText(row)),
      lastSale: lastSaleOf(soldToken(row)),
      noMetadata,
    });
    const others = viewed.get(holdingKey(row));
    if (others === undefined) viewed.set(holdingKey(row), [nft]);
    else others.push(nft);
  });
  return viewed;
}

/**
 * Whether an NFT collection is also an ERC-20 token. Both standards have `balanceOf`, and such a contract returns the ERC-20 balance: the number of NFTs
 * that were held before the first indexed block is therefore unknown.
 */
export const isAlsoErc20 = ({ standard }: Pick<HoldingRow, "standard">, metadata: TokenMetadata | undefined): boolean =>
  standard === standards.erc721 && metadata?.standards.includes(standards.erc20) === true;
