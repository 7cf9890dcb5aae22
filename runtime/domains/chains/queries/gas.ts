import { bytes, bytesArray } from "../../../database/codecs.ts";
import { compose } from "../../../database/compose.ts";
import type { Queryable } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import { poolSwap } from "../../../events/pools.ts";
import { standards } from "../../tokens/projection/standards.ts";

/** The kinds of transactions for which gas is estimated, by their names in the API. */
export type GasEvent = "erc20" | "nativetokens" | "uniswapv3";

/** The gas and fees of a transaction of the requested kind. Wei amounts are decimal strings. */
export interface GasSample {
  readonly gas_price: string;
  readonly gas_used: number;
  /** The base fee of its block; null before EIP-1559. */
  readonly base_fee: string | null;
  readonly l1_fee: string | null;
}

/** The time and base fee of a block. */
export interface GasBlock {
  readonly number: number;
  readonly timestamp: number;
  readonly base_fee: string | null;
}

/** transfer(address,uint256) and transferFrom(address,address,uint256) of EIP-20. */
const transferSelectors = bytesArray(["0xa9059cbb", "0x23b872dd"]);

// A transaction may swap in many pools, so 10 logs are read per requested transaction.
const selectSwaps = sql`SELECT t.gas_price, t.gas_used, b.base_fee, t.l1_fee FROM (
    SELECT DISTINCT block_number, transaction_index FROM (
      SELECT block_number, transaction_index FROM logs WHERE chain_id = $1 AND topic0 = $5 AND block_number BETWEEN $2 AND $3
      ORDER BY block_number DESC, log_index DESC LIMIT $4 * 10) newest
    ORDER BY block_number DESC, transaction_index DESC LIMIT $4) swap
  JOIN transactions t ON t.chain_id = $1 AND t.block_number = swap.block_number AND t.transaction_index = swap.transaction_index
  JOIN blocks b ON b.chain_id = t.chain_id AND b.number = t.block_number`;

interface SampleValues {
  readonly chainId: number;
  readonly first: number;
  readonly last: number;
  readonly limit: number;
  /** Restricts the sample to calls to these ERC-20 functions. */
  readonly selectors?: string;
}

const selectTransactions = compose<GasSample, SampleValues>(({ from, raw, value, has }) => {
  const transactions = from("transactions as t")
    .joinRaw("JOIN blocks b ON b.chain_id = t.chain_id AND b.number = t.block_number")
    .select("t.gas_price", "t.gas_used", "b.base_fee", "t.l1_fee")
    .where("t.chain_id", value("chainId"))
    .whereBetween("t.block_number", [value("first"), value("last")])
    .where(raw(sql`t.successful IS NOT FALSE`));
  if (has("selectors")) {
    transactions.whereRaw("substring(t.input FROM 1 FOR 4) = ANY (?::bytea[])", [value("selectors")]).whereExists(
      from("token_standards as s")
        .where("s.chain_id", value("chainId"))
        .where(raw(sql`s.address = t.to_address AND s.standard = ${standards.erc20}`)),
    );
  } else {
    // Value transfers without data; if the recipient is a contract, the gas includes its execution.
    transactions.where(raw(sql`t.value > 0 AND t.input = '' AND t.to_address IS NOT NULL`));
  }
  return transactions.orderBy("t.block_number", "desc").orderBy("t.transaction_index", "desc").limit(value("limit"));
});

/** Gas price queries. */
export function createGasQueries({ query, run }: Queryable) {
  /** Blocks by number. Served by the primary key. */
  const gasBlocks = (chainId: number, numbers: readonly number[]) =>
    query<GasBlock>("SELECT number, timestamp, base_fee FROM blocks WHERE chain_id = $1 AND number = ANY($2::int8[]) ORDER BY number", [
      chainId,
      numbers,
    ]);

  /** The newest successful transactions of a kind in a block range. Served by the primary key of transactions, for swaps by logs_topic0. */
  const gasSamples = (chainId: number, event: GasEvent, first: number, last: number, limit: number): Promise<GasSample[]> => {
    if (event === "uniswapv3") return query<GasSample>(selectSwaps, [chainId, first, last, limit, bytes(poolSwap.topic0)]);
    const range = { chainId, first, last, limit };
    return run(selectTransactions(event === "erc20" ? { ...range, selectors: transferSelectors } : range));
  };

  return { gasBlocks, gasSamples };
}
