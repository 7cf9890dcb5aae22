import { Block, opcodes, script, Transaction } from "bitcoinjs-lib";

/** An output that a transaction can spend. */
export interface Coin {
  readonly txid: string;
  readonly vout: number;
  readonly value: bigint;
  readonly script: Uint8Array;
  readonly height: number;
  readonly isCoinbase: boolean;
}

/** An output that a transaction creates. */
export interface Payment {
  readonly script: Uint8Array;
  readonly value: bigint;
}

export interface MinedBlock {
  readonly height: number;
  readonly hash: string;
  readonly block: Block;
  readonly transactions: readonly Transaction[];
  /** The ids of the transactions, stored because computing one takes two hashes. */
  readonly txids: readonly string[];
}

/** Blocks of one branch, built with bitcoinjs-lib, without proof of work or signatures, which the index does not check. */
export interface BitcoinChain {
  /** By height. */
  readonly blocks: readonly MinedBlock[];
  /** Adds a block. The coinbase is given by its payments, or as a transaction, such as the coinbase of an earlier block. */
  mine(transactions?: readonly Transaction[], coinbase?: Transaction | readonly Payment[]): MinedBlock;
  /** Removes the blocks above a height. */
  removeBlocksAbove(height: number): void;
  /** Returns an output of a transaction in the blocks up to a height (default: all blocks); of several transactions with the id, the newest. */
  coin(txid: string, vout: number, height?: number): Coin;
}

/** The subsidy of a block before the first halving, in satoshis. */
export const initialSubsidy = 50_00000000n;
const defaultGenesisTime = 1_700_000_000;
const zeros = new Uint8Array(32);
const anyoneCanSpend = script.compile([opcodes.OP_TRUE ?? 0x51]);

/** Renders a hash as Bitcoin displays it: in reverse byte order. */
export const displayHash = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString("hex");

/** Creates a chain with its genesis block. `timeOf` returns the time (Unix seconds) of the block at a height; by default, blocks are ten minutes apart. */
export function createBitcoinChain(timeOf = (height: number): number => defaultGenesisTime + 600 * height): BitcoinChain {
  const blocks: MinedBlock[] = [];
  /** Makes blocks of different branches have different hashes even if their transactions are the same. */
  let salt = 0;

  const mine: BitcoinChain["mine"] = (transactions = [], coinbase = [{ script: anyoneCanSpend, value: initialSubsidy }]) => {
    const height = blocks.length;
    salt += 1;
    const all = [coinbase instanceof Transaction ? coinbase : coinbaseOf(height, salt, coinbase), ...transactions];
    const block = new Block();
    block.version = 0x20000000;
    block.prevHash = blocks.at(-1)?.block.getHash() ?? zeros;
    block.merkleRoot = Block.calculateMerkleRoot(all);
    block.timestamp = timeOf(height);
    block.bits = 0x207fffff;
    block.nonce = salt;
    block.transactions = all;
    const mined = { height, hash: block.getId(), block, transactions: all, txids: all.map((transaction) => transaction.getId()) };
    blocks.push(mined);
    return mined;
  };

  const coin: BitcoinChain["coin"] = (txid, vout, highest = blocks.length - 1) => {
    for (const { height, transactions, txids } of blocks.slice(0, highest + 1).toReversed()) {
      const transaction = transactions[txids.indexOf(txid)];
      const output = transaction?.outs[vout];
      if (transaction !== undefined && output !== undefined)
        return { txid, vout, value: output.value, script: output.script, height, isCoinbase: transaction.isCoinbase() };
    }
    throw new Error(`The chain has no output ${vout} of transaction ${txid} up to block ${highest}.`);
  };

  mine();
  return { blocks, mine, coin, removeBlocksAbove: (height) => void blocks.splice(height + 1) };
}

/** A coinbase with the height and a number that makes it unique (BIP 34). */
function coinbaseOf(height: number, salt: number, payments: readonly Payment[]): Transaction {
  const transaction = new Transaction();
  transaction.version = 2;
  transaction.addInput(zeros, 0xffffffff, 0xffffffff, script.compile([script.number.encode(height), script.number.encode(salt)]));
  for (const { script: output, value } of payments) transaction.addOutput(output, value);
  return transaction;
}

/** A transaction that spends coins; its fee is their sum less the sum of the payments. */
export function createTransaction(coins: readonly Coin[], payments: readonly Payment[]): Transaction {
  const transaction = new Transaction();
  transaction.version = 2;
  for (const { txid, vout } of coins) transaction.addInput(Uint8Array.from(Buffer.from(txid, "hex").reverse()), vout);
  for (const { script: output, value } of payments) transaction.addOutput(output, value);
  return transaction;
}
