import { bytes } from "../../../database/codecs.ts";
import type { Database } from "../../../database/database.ts";
import { poolSwap } from "../../../events/pools.ts";
import { standards } from "../../tokens/projection/standards.ts";

/** Kinds of transactions whose gas is estimated, as the interface names them. */
export type GasEvent = "erc20" | "nativetokens" | "uniswapv3";

/** What one transaction of the asked kind paid. Wei amounts are decimal strings. */
export interface GasSample {
  readonly gas_price: string;
  readonly gas_used: number;
  /** Of its block; null before EIP-1559. */
  readonly base_fee: string | null;
  readonly l1_fee: string | null;
}

/** What a block says of the price of gas and of time. */
export interface GasBlock {
  readonly number: number;
  readonly timestamp: number;
  readonly base_fee: string | null;
}

/** transfer(address,uint256) and transferFrom(address,address,uint256) of EIP-20. */
const transferSelectors = ["0xa9059cbb", "0x23b872dd"];
/** A transaction may swap in many pools: so many logs are looked at for each transaction that is asked for. */
const swapsEach = 10;

const columns = "t.gas_price, t.gas_used, b.base_fee, t.l1_fee";
const withBlock = "JOIN blocks b ON b.chain_id = t.chain_id AND b.number = t.block_number";
const inRange = "t.chain_id = $1 AND t.block_number BETWEEN $2 AND $3 AND t.successful IS NOT FALSE";
const newestFirst = "ORDER BY t.block_number DESC, t.transaction_index DESC LIMIT $4";

/** Questions about what gas costs. */
export function createGasQueries({ query }: Pick<Database, "query">) {
  /** Blocks by number. Served by the primary key. */
  const gasBlocks = (chainId: number, numbers: readonly number[]) =>
    query<GasBlock>("SELECT number, timestamp, base_fee FROM blocks WHERE chain_id = $1 AND number = ANY($2::int8[]) ORDER BY number", [
      chainId,
      numbers,
    ]);

  /** The newest transactions of a kind in a range of blocks that did not fail. Served by the primary key of transactions, for swaps by logs_topic0. */
  const gasSamples = (chainId: number, event: GasEvent, first: number, last: number, limit: number): Promise<GasSample[]> => {
    const range = [chainId, first, last, limit];
    // Value without data; what a contract does with it is in the gas.
    if (event === "nativetokens") {
      return query<GasSample>(
        `SELECT ${columns} FROM transactions t ${withBlock}
         WHERE ${inRange} AND t.value > 0 AND t.input = '' AND t.to_address IS NOT NULL ${newestFirst}`,
        range,
      );
    }
    if (event === "erc20") {
      return query<GasSample>(
        `SELECT ${columns} FROM transactions t ${withBlock}
         WHERE ${inRange} AND substring(t.input FROM 1 FOR 4) = ANY($5::bytea[]) AND EXISTS (
           SELECT FROM token_standards s WHERE s.chain_id = $1 AND s.address = t.to_address AND s.standard = ${standards.erc20}) ${newestFirst}`,
        [...range, transferSelectors.map(bytes)],
      );
    }
    return query<GasSample>(
      `SELECT ${columns} FROM (SELECT DISTINCT block_number, transaction_index FROM (
         SELECT block_number, transaction_index FROM logs WHERE chain_id = $1 AND topic0 = $5 AND block_number BETWEEN $2 AND $3
         ORDER BY block_number DESC, log_index DESC LIMIT $4 * ${swapsEach}) newest
         ORDER BY block_number DESC, transaction_index DESC LIMIT $4) place
       JOIN transactions t ON t.chain_id = $1 AND t.block_number = place.block_number AND t.transaction_index = place.transaction_index ${withBlock}`,
      [...range, bytes(poolSwap.topic0)],
    );
  };

  return { gasBlocks, gasSamples };
}
