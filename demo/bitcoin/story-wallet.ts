import type { Transaction } from "bitcoinjs-lib";
import { type Coin, createTransaction, type MinedBlock, type Payment } from "./chain.ts";
import type { OutputKind, Wallet } from "./wallets.ts";

/** The virtual bytes of each kind of signed input, of an output, and of the rest of a transaction: wallets compute fees from them. */
const inputSizes = { p2pkh: 148n, p2wpkh: 68n, p2wsh: 105n, p2tr: 58n } as const satisfies Partial<Record<OutputKind, bigint>>;
const outputSize = 43n;
const overhead = 11n;
/** Smaller change would cost more to spend than it is worth, so it is added to the fee. */
const minChange = 1_000n;
/** The number of blocks after which a coinbase's coins can be spent (consensus rule). */
const coinbaseMaturity = 100;

/** The options of a payment. */
export interface PaymentOptions {
  /** Satoshis per virtual byte. */
  readonly feeRate: bigint;
  /** The height of the block that will contain the transaction. */
  readonly height: number;
}

/** A transaction with its fee. */
export interface TransactionWithFee {
  readonly transaction: Transaction;
  readonly fee: bigint;
}

/** A wallet of the story with its unspent coins. */
export interface StoryWallet {
  readonly script: Uint8Array;
  readonly address: string;
  /** The total of the coins that can be spent in a block at a height. */
  spendableBalance(height: number): bigint;
  /** Pays with the oldest coins, and returns the change to the wallet. @throws {Error} if the coins do not suffice. */
  pay(payments: readonly Payment[], options: PaymentOptions): TransactionWithFee;
  /** Pays all coins to one script, less the fee and `otherPayments`. */
  payAll(script: Uint8Array, options: PaymentOptions, otherPayments?: readonly Payment[]): TransactionWithFee;
  /** Adds the outputs of a block that pay the wallet. */
  receive(block: MinedBlock): void;
}

const sum = (items: readonly { readonly value: bigint }[]): bigint => items.reduce((total, { value }) => total + value, 0n);

/** Creates a wallet without coins; the kind of its script determines its fees. */
export function createStoryWallet(kind: keyof typeof inputSizes, { script, address }: Pick<Wallet, "script" | "address">): StoryWallet {
  if (address === null) throw new Error(`The ${kind} wallet has no address`);
  let coins: readonly Coin[] = [];
  const spendableAt = (height: number) => coins.filter((coin) => !coin.isCoinbase || coin.height + coinbaseMaturity <= height);
  const feeOf = (inputs: number, outputs: number, { feeRate }: PaymentOptions): bigint =>
    feeRate * (overhead + BigInt(inputs) * inputSizes[kind] + BigInt(outputs) * outputSize);
  const spendCoins = (spent: readonly Coin[], payments: readonly Payment[]): TransactionWithFee => {
    coins = coins.filter((coin) => !spent.includes(coin));
    return { transaction: createTransaction(spent, payments), fee: sum(spent) - sum(payments) };
  };
  return {
    script,
    address,
    spendableBalance: (height) => sum(spendableAt(height)),
    pay: (payments, options) => {
      const available = spendableAt(options.height);
      const needed = (count: number): bigint => sum(payments) + feeOf(count, payments.length + 1, options);
      const count = available.findIndex((_, position) => sum(available.slice(0, position + 1)) >= needed(position + 1)) + 1;
      if (count === 0) throw new Error(`A payment in block ${options.height} of the Bitcoin story exceeds the balance of its wallet`);
      const spent = available.slice(0, count);
      const change = sum(spent) - needed(count);
      return spendCoins(spent, change < minChange ? payments : [...payments, { script, value: change }]);
    },
    payAll: (to, options, otherPayments = []) => {
      const spent = spendableAt(options.height);
      const value = sum(spent) - sum(otherPayments) - feeOf(spent.length, otherPayments.length + 1, options);
      return spendCoins(spent, [{ script: to, value }, ...otherPayments]);
    },
    receive: ({ height, transactions, txids }) => {
      const received = transactions.flatMap((transaction, position) =>
        transaction.outs.map((output, vout): Coin => {
          return { txid: txids[position] ?? "", vout, ...output, height, isCoinbase: transaction.isCoinbase() };
        }),
      );
      const ownScript = Buffer.from(script);
      coins = [...coins, ...received.filter((coin) => ownScript.equals(coin.script))];
    },
  };
}
