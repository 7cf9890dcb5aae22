import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { nothing, plannedOnce, type Sql, sql } from "../../../database/sql.ts";
import type { Address } from "../../../lib/hex.ts";
import { forEachInTurns } from "../../../lib/turns.ts";
import { type HeldCollectionRow, selectHeldCollections } from "../../nft/queries/held-collections.ts";
import { balanceBefore, type NftBalanceRow, nftBalancesAsOf, rowsAsOfBlock } from "../../tokens/queries/balance.ts";
import { type NftMetadataRow, selectMetadata } from "./metadata.ts";
import type { TraitFilter } from "./trait-filter.ts";

/** A token id that an account holds, with its original owner and its metadata, if they are known. */
export type HeldTokenRow = NftBalanceRow & { readonly original_owner: Address | null } & (NftMetadataRow | { readonly has_document: null });

/** A held token with the time of its last transfer to or from the account, and its balance after an earlier block. */
export type HeldIdRow = HeldTokenRow & {
  readonly moved_at: number | null;
  /** 0 if the account had never had the token; null if unknown. */
  readonly balance_before: string | null;
};

/** What an account holds. */
export interface HeldTokens {
  readonly collections: readonly HeldCollectionRow[];
  readonly tokens: readonly HeldTokenRow[];
}

interface CollectionRow extends HeldCollectionRow {
  readonly token_id: null;
}

/** Selects ids of a collection; all of them if empty. */
export interface IdSelection {
  readonly tokenId?: bigint | undefined;
  readonly filter?: TraitFilter | null;
}

/** The block as of which held tokens are read, an earlier block to compare with (null: before the index), and the max number of tokens. */
export interface HeldTokensOptions {
  readonly block: number;
  readonly comparisonBlock: number | null;
  readonly limit: number;
}

const idKey = ["token", "token_id", "standard"];

/** The columns of `HeldTokenRow` for held tokens `h`: one probe of the primary keys of nft_tokens and nft_metadata per token. */
const withDetails = (
  columns: Sql,
  held: Sql,
): Sql => sql`SELECT h.token, h.token_id, h.standard, h.balance, ${columns} t.original_owner, m.*
  FROM (${held}) h
  LEFT JOIN LATERAL (SELECT original_owner FROM nft_tokens n
    WHERE n.chain_id = $1 AND n.token = h.token AND n.token_id = h.token_id AND n.standard = h.standard LIMIT 1) t ON true
  LEFT JOIN LATERAL (${selectMetadata("h")}) m ON true`;

/**
 * An account's collections and tokens, each up to $4, in one list: a collection has no id, and precedes its tokens. Served by the primary key of
 * nft_balances.
 */
const selectOfAccount =
  plannedOnce(sql`SELECT h.token, NULL AS token_id, h.standard, h.balance, h.moved_at, h.balance_before, NULL AS original_owner, NULL AS token_url,
    NULL AS refusal, NULL AS has_document, NULL AS name, NULL AS description, NULL AS image, NULL AS animation_url, NULL AS external_url, NULL AS owner,
    NULL AS attributes, NULL AS asset_bytes FROM (${selectHeldCollections}) h
  UNION ALL
  ${withDetails(
    sql`NULL, NULL,`,
    sql`SELECT * FROM ${nftBalancesAsOf} a WHERE balance IS DISTINCT FROM 0 ORDER BY token, token_id, standard LIMIT $4`,
  )}
  ORDER BY token, token_id NULLS FIRST, standard`);

/** Only transfers change rows of nft_balances, so `since_block` is the block of the last transfer. */
const columnsOfId = sql`(SELECT timestamp FROM blocks WHERE chain_id = $1 AND number = h.since_block) AS moved_at,
  ${balanceBefore("nft_balance_periods", idKey, sql`$5`)} AS balance_before,`;
/** The ids of collection $4 that satisfy conditions on the balance rows `t` and the held tokens `a`. */
const selectIds = (among: Sql, condition: Sql): Sql =>
  sql`${withDetails(
    columnsOfId,
    sql`SELECT * FROM ${rowsAsOfBlock("nft_balances", "nft_balance_periods", idKey, sql`t.token = $4 ${among}`)} a
      WHERE balance IS DISTINCT FROM 0 ${condition} ORDER BY token_id, standard LIMIT $6`,
  )} ORDER BY h.token_id, h.standard`;
/** Served by the primary keys of nft_balances and blocks. */
const selectAllIds = plannedOnce(selectIds(nothing, nothing));
/** Served by the primary keys of nft_balances and blocks. */
const selectOneId = plannedOnce(selectIds(sql`AND t.token_id = $7`, nothing));
/** Matches current traits. Served by the primary keys of nft_balances, blocks and nft_attributes. */
const selectIdsByTrait = selectIds(
  nothing,
  sql`AND EXISTS (SELECT FROM nft_attributes n WHERE n.chain_id = $1 AND n.token = a.token AND n.token_id = a.token_id
        AND ($7::text[] IS NULL OR n.trait = ANY ($7)) AND ($8::text[] IS NULL OR n.value = ANY ($8)))`,
);

const statementOf = ({ tokenId, filter }: IdSelection): readonly [Sql, ...parameters: unknown[]] => {
  if (tokenId !== undefined) return [selectOneId, String(tokenId)];
  return filter === undefined || filter === null ? [selectAllIds] : [selectIdsByTrait, filter.traits, filter.values];
};

/** The metadata of a held token; undefined if it was not read. */
export const metadataOfHeld = (row: HeldTokenRow): NftMetadataRow | undefined => (row.has_document === null ? undefined : row);

/** Queries for an account's tokens with their metadata. */
export const createHeldTokenQueries = ({ query }: Pick<Database, "query">) => ({
  /** An account's collections after a block, and its tokens by collection and id, each up to the limit. */
  tokensHeldAt: async (chainId: number, owner: Address, { block, comparisonBlock, limit }: HeldTokensOptions): Promise<HeldTokens> => {
    const held = { collections: [] as HeldCollectionRow[], tokens: [] as HeldTokenRow[] };
    const rows = await query<HeldTokenRow | CollectionRow>(selectOfAccount, [chainId, bytes(owner), block, limit, comparisonBlock]);
    await forEachInTurns(rows, (row) => {
      if (row.token_id === null) held.collections.push(row);
      else held.tokens.push(row);
    });
    return held;
  },

  /** The ids of a collection that an account held after a block, ascending: all of them, one, or those whose current metadata matches a filter. */
  idsHeldAt: (
    chainId: number,
    owner: Address,
    token: Address,
    { block, comparisonBlock, limit }: HeldTokensOptions,
    selection: IdSelection = {},
  ) => {
    const [statement, ...parameters] = statementOf(selection);
    return query<HeldIdRow>(statement, [chainId, bytes(owner), block, bytes(token), comparisonBlock, limit, ...parameters]);
  },
});
