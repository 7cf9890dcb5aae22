import { bytes } from "../../../database/codecs.ts";
import { addressesIn, joinedAddresses, listOf } from "../../../database/columns.ts";
import type { Database } from "../../../database/database.ts";
import { type Address, type Hex, nativeTokenAddress } from "../../../lib/hex.ts";
import { standards } from "../projection/standards.ts";
import { type BalanceSource, joinSource, sourceOf, sourceOfNative } from "./balance-source.ts";
import { type DescribedColumns, describedIn, describing, type TokenMetadata } from "./metadata.ts";

/** What an owner had of a token (of collections: how many) after a block; a null balance is not known. */
export interface BalanceRow {
  readonly token: Address;
  readonly standard: number;
  readonly balance: string | null;
}

/** The same with the last transfer up to that block; null where none is indexed. */
export interface HoldingRow extends BalanceRow {
  readonly source: BalanceSource;
  readonly transfer_block: number | null;
  readonly transfer_timestamp: number | null;
}

/** Rows as lists (see the database's columns), and with them, apart, the times of the blocks that they name. */
interface BalanceColumns {
  readonly tokens: Hex;
  readonly standards: readonly number[];
  readonly balances: readonly (string | null)[];
}
interface HoldingColumns extends BalanceColumns {
  readonly moved: readonly number[];
  /** Those of them whose balances are read from the node. */
  readonly sourced: Hex;
  readonly sourced_standards: readonly number[];
  readonly sourced_moved: readonly (number | null)[];
  readonly numbers: readonly number[];
  readonly timestamps: readonly number[];
  readonly native_accounting: string | null;
}

type LastTransfer = Pick<HoldingRow, "transfer_block" | "transfer_timestamp">;
const never: LastTransfer = { transfer_block: null, transfer_timestamp: null };

/** What an owner had of one token id. */
export interface NftBalanceRow {
  readonly token: Address;
  readonly token_id: string;
  readonly standard: number;
  readonly balance: string | null;
}

/**
 * The rows of an owner ($2) as of a block ($3): those that were set by then, and for each that was set later the period that the block is in. `among` narrows
 * them down by the first columns of the key. Served by the primary keys: a range of the owner's rows, and one probe for each token touched since.
 */
export const asOfBlock = (
  table: "balances" | "nft_balances",
  periods: "balance_periods" | "nft_balance_periods",
  key: readonly string[],
  among = "true",
): string => {
  const columns = (alias: string) => key.map((column) => `${alias}.${column}`).join(", ");
  return `(SELECT ${columns("t")}, t.balance, t.since_block FROM ${table} t WHERE t.chain_id = $1 AND t.owner = $2 AND t.since_block <= $3 AND ${among}
    UNION ALL
    SELECT ${columns("t")}, p.balance, p.from_block FROM ${table} t CROSS JOIN LATERAL (
      SELECT balance, from_block FROM ${periods} h
      WHERE h.chain_id = t.chain_id AND h.owner = t.owner AND ${key.map((column) => `h.${column} = t.${column}`).join(" AND ")} AND h.from_block <= $3
      ORDER BY h.from_block DESC LIMIT 1) p
    WHERE t.chain_id = $1 AND t.owner = $2 AND t.since_block > $3 AND ${among})`;
};

/** The last transfer of a held token ($2 its owner) up to a block ($3). Served by transfers_from and transfers_to, one probe each. */
const lastTransfer = (column: string): string =>
  `(SELECT block_number FROM transfers WHERE chain_id = $1 AND ${column} = $2 AND token = h.token AND standard = h.standard AND block_number <= $3
    ORDER BY block_number DESC LIMIT 1)`;

const balancesAsOf = asOfBlock("balances", "balance_periods", ["token", "standard"]);
const nftBalancesAsOf = asOfBlock("nft_balances", "nft_balance_periods", ["token", "token_id", "standard"]);

const balanceLists = `${joinedAddresses("token")} AS tokens, ${listOf("standard")} AS standards, ${listOf("balance::text")} AS balances`;

/** What an owner ($2) of chain $1 held after a block ($3), tokens that were all gone left out; any $4 of them where there are more. */
const held = `SELECT token, standard, balance, since_block FROM ${balancesAsOf} h
           WHERE balance IS DISTINCT FROM 0 OR standard = ${standards.native} LIMIT $4`;

/** The rows of these lists; the native token's last transfer is told apart. */
function toHoldings(columns: HoldingColumns, native: LastTransfer): HoldingRow[] {
  const times = new Map<number, number>();
  columns.numbers.forEach((number, index) => {
    times.set(number, columns.timestamps[index] ?? 0);
  });
  const lastAt = (height: number): LastTransfer => {
    const timestamp = times.get(height);
    return timestamp === undefined ? never : { transfer_block: height, transfer_timestamp: timestamp };
  };
  const sourced = new Map<string, LastTransfer>();
  addressesIn(columns.sourced).forEach((token, index) => {
    const height = columns.sourced_moved[index] ?? null;
    sourced.set(`${token}:${columns.sourced_standards[index]}`, height === null ? never : lastAt(height));
  });
  const nativeSource = sourceOfNative(columns.native_accounting);
  const rows = addressesIn(columns.tokens).map((token, index): HoldingRow => {
    const [standard, balance] = [columns.standards[index] ?? standards.native, columns.balances[index] ?? null];
    if (standard === standards.native) return { token, standard, balance, source: nativeSource, ...native };
    const read = sourced.size === 0 ? undefined : sourced.get(`${token}:${standard}`);
    const { transfer_block, transfer_timestamp } = read ?? lastAt(columns.moved[index] ?? 0);
    return { token, standard, balance, source: read === undefined ? "events" : "node", transfer_block, transfer_timestamp };
  });
  return rows.sort(byStandard);
}

const toBalances = (columns: BalanceColumns): BalanceRow[] =>
  addressesIn(columns.tokens).map((token, index) => ({
    token,
    standard: columns.standards[index] ?? standards.native,
    balance: columns.balances[index] ?? null,
  }));

/** The native token first, a token in several standards once for each. */
const byStandard = (left: BalanceRow, right: BalanceRow): number => left.standard - right.standard || (left.token < right.token ? -1 : 1);

/** Questions about who has what. */
export function createBalanceQueries({ query }: Pick<Database, "query">) {
  /** What an owner held after a block, tokens that were all gone left out, the native token first; any `limit` of them where there are more. */
  const holdingsAt = async (chainId: number, owner: Address, block: number, limit: number): Promise<HoldingRow[]> => {
    // A token is touched by its transfers alone; a native balance also by fees and rewards, and one that is read from the node by the reading, so their
    // last transfer is looked up.
    const [[columns], native] = await Promise.all([
      query<HoldingColumns>(
        `WITH held AS MATERIALIZED (${held}),
         sourced AS MATERIALIZED (
           SELECT token, standard, greatest(${lastTransfer("from_address")}, ${lastTransfer("to_address")}) AS moved
           FROM held h JOIN node_sourced_tokens s USING (token, standard) WHERE s.chain_id = $1)
         SELECT * FROM (SELECT ${balanceLists}, ${listOf("since_block")} AS moved FROM held) held_lists,
           (SELECT ${joinedAddresses("token")} AS sourced, ${listOf("standard")} AS sourced_standards, ${listOf("moved")} AS sourced_moved FROM sourced) sourced_lists,
         -- All heights at once, each once: a wallet may hold so many tokens that a probe each would be most of the work.
           (SELECT ${listOf("number")} AS numbers, ${listOf("timestamp")} AS timestamps FROM blocks
            WHERE chain_id = $1 AND number = ANY (ARRAY(SELECT since_block FROM held UNION ALL SELECT moved FROM sourced))) times,
           (SELECT max(native_accounting) AS native_accounting FROM chains WHERE chain_id = $1) chain`,
        [chainId, bytes(owner), block, limit],
      ),
      lastNativeTransfer(chainId, owner, block),
    ]);
    return columns === undefined ? [] : toHoldings(columns, native);
  };

  /** What the tokens that `holdingsAt` gives for the same say of themselves, where anything is known of them: to be asked at the same time. */
  const heldMetadata = async (chainId: number, owner: Address, block: number, limit: number): Promise<Map<Address, TokenMetadata>> =>
    describedIn(
      await query<DescribedColumns>(`WITH held AS MATERIALIZED (${held}) ${describing("SELECT token FROM held")}`, [
        chainId,
        bytes(owner),
        block,
        limit,
      ]),
    );

  /** The last transfer of native value from or to an address up to a block. Served by transfers_from and transfers_to, one probe each. */
  const lastNativeTransfer = async (chainId: number, owner: Address, block: number) => {
    const side = (column: string) =>
      `(SELECT block_number FROM transfers WHERE chain_id = $1 AND ${column} = $2 AND token = $4 AND block_number <= $3
        ORDER BY block_number DESC LIMIT 1)`;
    const rows = await query<LastTransfer>(
      `SELECT number AS transfer_block, timestamp AS transfer_timestamp FROM blocks
       WHERE chain_id = $1 AND number = greatest(${side("from_address")}, ${side("to_address")})`,
      [chainId, bytes(owner), block, bytes(nativeTokenAddress)],
    );
    return rows[0] ?? never;
  };

  /** What an owner had after a block of each token that the index knows it to have had by then. */
  const balancesAt = async (chainId: number, owner: Address, block: number): Promise<BalanceRow[]> => {
    const [columns] = await query<BalanceColumns>(`SELECT ${balanceLists} FROM ${balancesAsOf} h`, [chainId, bytes(owner), block]);
    return columns === undefined ? [] : toBalances(columns);
  };

  /** What an owner had of one token after a block; null if it was never touched up to there. Served by the primary keys. */
  const balanceAt = async (
    chainId: number,
    owner: Address,
    token: Address,
    standard: number,
    block: number,
  ): Promise<Pick<HoldingRow, "balance" | "source"> | null> => {
    const key = "chain_id = $1 AND owner = $2 AND token = $3 AND standard = $4";
    const rows = await query<Pick<HoldingRow, "balance" | "source">>(
      `SELECT h.balance, ${sourceOf("h")} AS source FROM (
         SELECT token, standard, balance FROM balances WHERE ${key} AND since_block <= $5
         UNION ALL
         (SELECT token, standard, balance FROM balance_periods WHERE ${key} AND from_block <= $5 AND to_block >= $5
          ORDER BY from_block DESC LIMIT 1)) h ${joinSource("h")}`,
      [chainId, bytes(owner), bytes(token), standard, block],
    );
    return rows[0] ?? null;
  };

  /** What an owner had by token id after a block, up to `limit`. */
  const nftBalancesAt = (chainId: number, owner: Address, block: number, limit: number) =>
    query<NftBalanceRow>(
      `SELECT token, token_id, standard, balance FROM ${nftBalancesAsOf} h
       WHERE balance IS DISTINCT FROM 0 ORDER BY token, token_id LIMIT $4`,
      [chainId, bytes(owner), block, limit],
    );

  return { holdingsAt, heldMetadata, balancesAt, balanceAt, nftBalancesAt };
}
