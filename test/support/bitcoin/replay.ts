import type { Transaction } from "bitcoinjs-lib";
import { type Coin, displayHash } from "../../../demo/bitcoin/chain.ts";

/** A transaction with the coins that it spends and creates. */
export interface ReplayedTransaction {
  readonly height: number;
  readonly offset: number;
  readonly txid: string;
  readonly isCoinbase: boolean;
  readonly spent: readonly Coin[];
  readonly created: readonly Coin[];
}

interface ReplayedBlock {
  readonly height: number;
  readonly transactions: readonly Transaction[];
}

/** The sum of the coins' values. */
export const totalOf = (coins: readonly Coin[]): bigint => coins.reduce((sum, { value }) => sum + value, 0n);

/**
 * Replays blocks from the first one and returns their transactions and the coins that remain unspent.
 * @throws {Error} if a transaction spends a coin that is not unspent
 */
export function replay(blocks: readonly ReplayedBlock[]): {
  readonly transactions: readonly ReplayedTransaction[];
  readonly unspent: readonly Coin[];
} {
  const unspent = new Map<string, Coin>();
  const take = (key: string, spender: string): Coin => {
    const coin = unspent.get(key);
    if (coin === undefined) throw new Error(`Transaction ${spender} spends ${key}, which is not unspent.`);
    unspent.delete(key);
    return coin;
  };
  const replayTransaction = (transaction: Transaction, height: number, offset: number): ReplayedTransaction => {
    const [txid, isCoinbase] = [transaction.getId(), transaction.isCoinbase()];
    const spent = isCoinbase ? [] : transaction.ins.map(({ hash, index }) => take(`${displayHash(hash)}:${index}`, txid));
    const created = transaction.outs.map(({ value, script }, vout): Coin => ({ txid, vout, value, script, height, isCoinbase }));
    for (const coin of created) unspent.set(`${txid}:${coin.vout}`, coin);
    return { height, offset, txid, isCoinbase, spent, created };
  };
  const transactions = blocks.flatMap(({ height, transactions: all }) =>
    all.map((transaction, offset) => replayTransaction(transaction, height, offset)),
  );
  return { transactions, unspent: [...unspent.values()] };
}
