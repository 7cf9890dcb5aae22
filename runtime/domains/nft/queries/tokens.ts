import { bytes, bytesArray } from "../../../database/codecs.ts";
import { jsonArrayOf } from "../../../database/columns.ts";
import type { Database } from "../../../database/database.ts";
import { createPageReader, type PageStart } from "../../../database/page-reader.ts";
import { nothing, type Sql, sql } from "../../../database/sql.ts";
import type { Address, Hash } from "../../../lib/hex.ts";
import { portionsOf } from "../../../lib/portions.ts";
import { forEachInTurns } from "../../../lib/turns.ts";
import { branchAt, isOnBranch } from "../../ledger/queries/branch.ts";
import type { TransactionPosition } from "../../ledger/queries/transaction.ts";
import { standards } from "../../tokens/projection/standards.ts";

/** An id of a collection; the original owner is null if the id's mint is not indexed. */
export interface NftTokenRow {
  readonly token_id: string;
  readonly standard: number;
  readonly original_owner: Address | null;
}

/** A collection's token and the standard of its transfers. */
export interface NftKey {
  readonly token: Address;
  /** Decimal digits. */
  readonly token_id: string;
  readonly standard: number;
}

/** A token as a map key. */
export const nftKeyText = ({ token, token_id: id, standard }: NftKey): string => `${token}:${id}:${standard}`;

/** The key of an id in its collection. */
type NftTokenKey = Pick<NftTokenRow, "token_id" | "standard">;

/** The ids of collection $2 as of block $3 that satisfy an additional condition, ascending. */
const idsAt = (condition: Sql): Sql =>
  sql`SELECT token_id, standard FROM nft_tokens WHERE chain_id = $1 AND token = $2 AND block_number <= $3 ${condition} ORDER BY token_id, standard`;
/** A page of $4 ids after the first $5. */
const selectPage = (condition: Sql): Sql =>
  sql`SELECT t.token_id, t.standard, t.original_owner FROM (${idsAt(condition)} LIMIT $4 OFFSET $5) page
    CROSS JOIN LATERAL (
      SELECT * FROM nft_tokens n WHERE n.chain_id = $1 AND n.token = $2 AND n.token_id = page.token_id AND n.standard = page.standard LIMIT 1) t
    ORDER BY t.token_id, t.standard`;
const fromKey = sql`AND (token_id, standard) >= ($6::numeric, $7::int2)`;
const selectIds = selectPage(nothing);
const selectIdsFromKey = selectPage(sql`${fromKey} AND ${isOnBranch(sql`$3`, sql`$8`)}`);
/** Every $5-th of the first $4 ids, and the hash of the block. */
const locateEvery = (condition: Sql): Sql =>
  sql`SELECT ${branchAt(sql`$3`)} AS branch, ${jsonArrayOf(sql`token_id::text`)} AS ids, ${jsonArrayOf("standard")} AS standards FROM (
    SELECT *, row_number() OVER (ORDER BY token_id, standard) - 1 AS number FROM (${idsAt(condition)} LIMIT $4) ids) numbered
    WHERE number % $5::int8 = 0`;
const locateIds = locateEvery(nothing);
const locateIdsFromKey = locateEvery(fromKey);

/** Queries for the tokens of collections. */
export function createNftTokenQueries({ query }: Pick<Database, "query">) {
  /** The number of ids in a collection as of a block. Served by the primary key. */
  const collectionSizeAt = async (chainId: number, token: Address, block: number): Promise<number> => {
    const rows = await query<{ tokens: number }>(
      "SELECT tokens FROM nft_collection_sizes WHERE chain_id = $1 AND token = $2 AND block_number <= $3 ORDER BY block_number DESC LIMIT 1",
      [chainId, bytes(token), block],
    );
    return rows[0]?.tokens ?? 0;
  };

  const pageAt = createPageReader<NftTokenKey>();

  /**
   * The ids of a collection as of a block, ascending. Served by the primary key: skipped rows are read from the index alone, and all but the last thousand
   * are skipped once (`createPageReader`).
   */
  const nftTokensAt = (chainId: number, token: Address, block: number, limit: number, offset: number): Promise<readonly NftTokenRow[]> => {
    const collection = [chainId, bytes(token), block];
    const list = {
      id: JSON.stringify([chainId, token, block]),
      locate: async (from: NftTokenKey | null, spacing: number, count: number) => {
        const key = from === null ? [] : [from.token_id, from.standard];
        const parameters = [...collection, (count - 1) * spacing + 1, spacing, ...key];
        const [row] = await query<{ branch: Hash | null; ids: string[]; standards: number[] }>(
          from === null ? locateIds : locateIdsFromKey,
          parameters,
        );
        const keys = (row?.ids ?? []).map((token_id, position) => ({ token_id, standard: row?.standards[position] ?? 0 }));
        return { branch: row?.branch ?? null, keys };
      },
      read: (start: PageStart<NftTokenKey> | null, rest: number) =>
        start === null
          ? query<NftTokenRow>(selectIds, [...collection, limit, rest])
          : query<NftTokenRow>(selectIdsFromKey, [...collection, limit, rest, start.key.token_id, start.key.standard, bytes(start.branch)]),
    };
    return pageAt(list, offset);
  };

  /** One id of a collection as of a block, with a row for each of its standards. Served by the primary key. */
  const nftTokenAt = (chainId: number, token: Address, tokenId: bigint, block: number) =>
    query<NftTokenRow>(
      `SELECT token_id, standard, original_owner FROM nft_tokens
       WHERE chain_id = $1 AND token = $2 AND token_id = $3 AND block_number <= $4 ORDER BY standard`,
      [chainId, bytes(token), String(tokenId), block],
    );

  /** The transactions that moved an id up to a block, newest first. Served by transfers_token_id. */
  const nftTransactions = (chainId: number, token: Address, tokenId: bigint, block: number, limit: number) =>
    query<TransactionPosition>(
      `SELECT DISTINCT block_number, transaction_index FROM transfers
       WHERE chain_id = $1 AND token = $2 AND token_id = $3 AND block_number <= $4
       ORDER BY block_number DESC, transaction_index DESC LIMIT $5`,
      [chainId, bytes(token), String(tokenId), block, limit],
    );

  return { collectionSizeAt, nftTokensAt, nftTokenAt, nftTransactions };
}

/** Queries for the owners of collections' tokens. */
export function createNftOwnerQueries({ query }: Pick<Database, "query">) {
  /** The original owners of tokens, by `nftKeyText`; tokens whose mint is not indexed are omitted. One probe of the primary key per token. */
  const originalOwners = async (chainId: number, keys: readonly NftKey[]): Promise<ReadonlyMap<string, Address>> => {
    const owners = new Map<string, Address>();
    for (const portion of portionsOf(keys)) {
      const rows = await query<{ position: number; original_owner: Address }>(
        `SELECT k.position, t.original_owner FROM unnest($2::bytea[], $3::numeric[], $4::int2[]) WITH ORDINALITY AS k(token, token_id, standard, position)
       CROSS JOIN LATERAL (
         SELECT original_owner FROM nft_tokens n
         WHERE n.chain_id = $1 AND n.token = k.token AND n.token_id = k.token_id AND n.standard = k.standard LIMIT 1) t
       WHERE t.original_owner IS NOT NULL`,
        [
          chainId,
          bytesArray(portion.map(({ token }) => token)),
          portion.map((key) => key.token_id),
          portion.map(({ standard }) => standard),
        ],
      );
      await forEachInTurns(rows, ({ position, original_owner: owner }) => {
        const key = portion[position - 1];
        if (key !== undefined) owners.set(nftKeyText(key), owner);
      });
    }
    return owners;
  };

  /**
   * The owners of a collection's ERC-721 ids after a block, by id: the last transfer's receiver, which is the zero address for a burned id. Served by
   * transfers_token_id, one probe for each id.
   */
  const nftOwnersAt = async (
    chainId: number,
    token: Address,
    tokenIds: readonly string[],
    block: number,
  ): Promise<ReadonlyMap<string, Address>> => {
    if (tokenIds.length === 0) return new Map();
    const rows = await query<{ token_id: string; to_address: Address }>(
      sql`SELECT k.token_id, t.to_address FROM unnest($3::numeric[]) AS k(token_id) CROSS JOIN LATERAL (
         SELECT to_address FROM transfers f
         WHERE f.chain_id = $1 AND f.token = $2 AND f.token_id = k.token_id AND f.block_number <= $4 AND f.standard = ${standards.erc721}
         ORDER BY f.block_number DESC, f.ordinal DESC LIMIT 1) t`,
      [chainId, bytes(token), tokenIds, block],
    );
    return new Map(rows.map(({ token_id: id, to_address: owner }) => [id, owner]));
  };

  return { originalOwners, nftOwnersAt };
}
