import { address, networks, type Transaction } from "bitcoinjs-lib";
import type { Coin, TestBitcoinChain, TestBlock } from "./chain.ts";
import { amount, NumberText } from "./json.ts";

/** How a node prints blocks. */
export interface ReplyForm {
  /** As getnetworkinfo returns it: 220000 for Bitcoin Core 22. */
  readonly version: number;
  /** Whether the node still has the outputs that blocks spend, which a pruned one may lack. */
  readonly hasUndoData: boolean;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
/** Bitcoin displays hashes in reverse. */
const reversed = (hash: Uint8Array): string => Buffer.from(hash).reverse().toString("hex");

/** A block as getblock returns it with verbosity 1, 2 or 3. */
export function blockReply({ blocks }: TestBitcoinChain, block: TestBlock, verbosity: number, form: ReplyForm, coinOf: CoinOf) {
  const next = blocks[block.height + 1];
  return {
    hash: block.hash,
    confirmations: blocks.length - block.height,
    height: block.height,
    version: block.block.version,
    merkleroot: reversed(block.block.merkleRoot ?? new Uint8Array(32)),
    time: block.block.timestamp,
    mediantime: block.block.timestamp,
    nonce: block.block.nonce,
    bits: block.block.bits.toString(16),
    difficulty: new NumberText("4.656542373906925e-10"),
    nTx: block.transactions.length,
    ...(block.height === 0 ? {} : { previousblockhash: reversed(block.block.prevHash ?? new Uint8Array(32)) }),
    ...(next === undefined ? {} : { nextblockhash: next.hash }),
    strippedsize: 200,
    size: block.block.byteLength(),
    weight: block.block.weight(),
    tx: block.transactions.map((transaction) =>
      verbosity < 2 ? transaction.getId() : transactionReply(transaction, verbosity, form, (input) => coinOf(block, transaction, input)),
    ),
  };
}

/** The coin that an input of a transaction of a block spends. */
export type CoinOf = (block: TestBlock, transaction: Transaction, input: number) => Coin;

/** A transaction, with its fee if the node has the outputs that it spends, and with these at verbosity 3. */
export function transactionReply(transaction: Transaction, verbosity: number, form: ReplyForm, coinOf: (input: number) => Coin) {
  const isCoinbase = transaction.isCoinbase();
  const coins = isCoinbase || !form.hasUndoData ? [] : transaction.ins.map((_, position) => coinOf(position));
  const total = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n);
  const fee = total(coins.map(({ value }) => value)) - total(transaction.outs.map(({ value }) => value));
  const hasSpentOutputs = verbosity >= 3 && form.version >= 230_000 && coins.length > 0;
  return {
    txid: transaction.getId(),
    hash: reversed(transaction.getHash(true)),
    version: transaction.version,
    size: transaction.byteLength(),
    vsize: transaction.virtualSize(),
    weight: transaction.weight(),
    locktime: transaction.locktime,
    vin: transaction.ins.map((input, position) => ({
      ...(isCoinbase
        ? { coinbase: hex(input.script) }
        : { txid: reversed(input.hash), vout: input.index, scriptSig: { asm: "", hex: hex(input.script) } }),
      ...(hasSpentOutputs ? { prevout: spentReply(coins[position] as Coin, form) } : {}),
      sequence: input.sequence,
    })),
    vout: transaction.outs.map(({ value, script }, n) => ({ value: amount(value), n, scriptPubKey: scriptReply(script, form) })),
    ...(coins.length > 0 && form.version >= 220_000 ? { fee: amount(fee) } : {}),
    hex: transaction.toHex(),
  };
}

const spentReply = ({ isCoinbase, height, value, script }: Coin, form: ReplyForm) => ({
  generated: isCoinbase,
  height,
  value: amount(value),
  scriptPubKey: scriptReply(script, form),
});

/** A script: its address is in `addresses` before version 22, in `address` since then. */
function scriptReply(script: Uint8Array, { version }: ReplyForm) {
  const found = addressOrNull(script);
  const addresses = found === null ? {} : version < 220_000 ? { reqSigs: 1, addresses: [found] } : { address: found };
  return { asm: "", ...(version >= 230_000 ? { desc: `raw(${hex(script)})` } : {}), hex: hex(script), ...addresses, type: "nonstandard" };
}

function addressOrNull(script: Uint8Array): string | null {
  try {
    return address.fromOutputScript(script, networks.regtest);
  } catch {
    return null;
  }
}
