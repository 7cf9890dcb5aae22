import { bytes } from "../../database/codecs.ts";
import type { Database } from "../../database/database.ts";
import type { Address } from "../../lib/hex.ts";
import { standards } from "../tokens/projection/standards.ts";
import { asOfBlock } from "../tokens/queries/balance.ts";
import type { TraitFilter } from "./filter.ts";

/** What an owner had of a collection after a block: how many tokens, and when one of them last went from or to it. */
export interface HeldCollectionRow {
  readonly token: Address;
  readonly standard: number;
  /** Null where it is not known. */
  readonly balance: string | null;
  readonly moved_at: number | null;
}

/** The same of one id. */
export interface HeldNftRow extends HeldCollectionRow {
  readonly token_id: string;
}

/** Which ids of a collection are asked for. */
export interface HeldAmong {
  readonly tokenId?: bigint;
  readonly filter?: TraitFilter | null;
}

const collections = `${standards.erc721}, ${standards.erc1155}`;
const heldCollections = asOfBlock("balances", "balance_periods", ["token", "standard"], `t.standard IN (${collections})`);
const heldIds = asOfBlock(
  "nft_balances",
  "nft_balance_periods",
  ["token", "token_id", "standard"],
  "t.token = $4 AND ($5::numeric IS NULL OR t.token_id = $5)",
);

/** Questions about who holds tokens of collections. */
export function createNftHoldingQueries({ query }: Pick<Database, "query">) {
  /**
   * The collections that an owner had tokens of after a block, up to `limit` where there is one, by address. A row is set by transfers alone, so its first block is the last transfer.
   * Served by the primary keys of balances and blocks.
   */
  const collectionsHeldAt = (chainId: number, owner: Address, block: number, limit: number | null) =>
    query<HeldCollectionRow>(
      `SELECT h.token, h.standard, h.balance, b.timestamp AS moved_at
       FROM (SELECT * FROM ${heldCollections} a WHERE balance IS DISTINCT FROM 0 ORDER BY token, standard LIMIT $4) h
       LEFT JOIN blocks b ON b.chain_id = $1 AND b.number = h.since_block ORDER BY h.token, h.standard`,
      [chainId, bytes(owner), block, limit],
    );

  /**
   * The ids of a collection that an owner had after a block, ascending, up to `limit` where there is one. Served by the primary keys of nft_balances and blocks, and by that of
   * nft_attributes for the filter.
   */
  const idsHeldAt = (
    chainId: number,
    owner: Address,
    token: Address,
    block: number,
    limit: number | null,
    { tokenId, filter }: HeldAmong = {},
  ) =>
    query<HeldNftRow>(
      `SELECT h.token, h.token_id, h.standard, h.balance, b.timestamp AS moved_at FROM (
         SELECT * FROM ${heldIds} a WHERE balance IS DISTINCT FROM 0 AND ($7::bool OR EXISTS (
           SELECT FROM nft_attributes n WHERE n.chain_id = $1 AND n.token = a.token AND n.token_id = a.token_id
             AND ($8::text[] IS NULL OR n.trait = ANY ($8)) AND ($9::text[] IS NULL OR n.value = ANY ($9))))
         ORDER BY token_id, standard LIMIT $6) h
       LEFT JOIN blocks b ON b.chain_id = $1 AND b.number = h.since_block ORDER BY h.token_id, h.standard`,
      [
        chainId,
        bytes(owner),
        block,
        bytes(token),
        tokenId === undefined ? null : String(tokenId),
        limit,
        filter === undefined || filter === null,
        filter?.traits ?? null,
        filter?.values ?? null,
      ],
    );

  return { collectionsHeldAt, idsHeldAt };
}
