import { address, networks, type Transaction } from "bitcoinjs-lib";
import { type BitcoinChain, type Coin, displayHash, type MinedBlock } from "./chain.ts";
import { btcAmount, NumberText } from "./json.ts";

/** The format that a node returns blocks in. */
export interface ResponseFormat {
  /** As getnetworkinfo returns it: 220000 for Bitcoin Core 22. */
  readonly version: number;
  /** Whether the node still has the outputs that blocks spend, which a pruned one may lack. */
  readonly hasUndoData: boolean;
  /** The address of a script; null if it has none. */
  addressOf(script: Uint8Array): string | null;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** A block as getblock returns it with verbosity 1, 2 or 3. */
export function blockResponse({ blocks, coin }: BitcoinChain, block: MinedBlock, verbosity: number, format: ResponseFormat) {
  const next = blocks[block.height + 1];
  const spent = ({ ins }: Transaction): Coin[] => ins.map(({ hash, index }) => coin(displayHash(hash), index, block.height));
  return {
    hash: block.hash,
    confirmations: blocks.length - block.height,
    height: block.height,
    version: block.block.version,
    merkleroot: displayHash(block.block.merkleRoot ?? new Uint8Array(32)),
    time: block.block.timestamp,
    mediantime: block.block.timestamp,
    nonce: block.block.nonce,
    bits: block.block.bits.toString(16),
    difficulty: new NumberText("4.656542373906925e-10"),
    nTx: block.transactions.length,
    ...(block.height === 0 ? {} : { previousblockhash: displayHash(block.block.prevHash ?? new Uint8Array(32)) }),
    ...(next === undefined ? {} : { nextblockhash: next.hash }),
    strippedsize: 200,
    size: block.block.byteLength(),
    weight: block.block.weight(),
    tx:
      verbosity < 2
        ? block.txids
        : block.transactions.map((transaction) => transactionResponse(transaction, verbosity, format, () => spent(transaction))),
  };
}

/** A transaction. If the node has the coins that the transaction spends, the response includes its fee, and at verbosity 3 the coins as well. */
export function transactionResponse(transaction: Transaction, verbosity: number, format: ResponseFormat, spent: () => readonly Coin[]) {
  const isCoinbase = transaction.isCoinbase();
  const coins = isCoinbase || !format.hasUndoData ? [] : spent();
  const total = (values: readonly bigint[]): bigint => values.reduce((sum, value) => sum + value, 0n);
  const fee = total(coins.map(({ value }) => value)) - total(transaction.outs.map(({ value }) => value));
  const hasSpentOutputs = verbosity >= 3 && format.version >= 230_000 && coins.length > 0;
  return {
    txid: transaction.getId(),
    hash: displayHash(transaction.getHash(true)),
    version: transaction.version,
    size: transaction.byteLength(),
    vsize: transaction.virtualSize(),
    weight: transaction.weight(),
    locktime: transaction.locktime,
    vin: transaction.ins.map((input, position) => ({
      ...(isCoinbase
        ? { coinbase: hex(input.script) }
        : { txid: displayHash(input.hash), vout: input.index, scriptSig: { asm: "", hex: hex(input.script) } }),
      ...(hasSpentOutputs && coins[position] !== undefined ? { prevout: spentOutputResponse(coins[position], format) } : {}),
      sequence: input.sequence,
    })),
    vout: transaction.outs.map(({ value, script }, n) => ({ value: btcAmount(value), n, scriptPubKey: scriptResponse(script, format) })),
    ...(coins.length > 0 && format.version >= 220_000 ? { fee: btcAmount(fee) } : {}),
    hex: transaction.toHex(),
  };
}

const spentOutputResponse = ({ isCoinbase, height, value, script }: Coin, format: ResponseFormat) => ({
  generated: isCoinbase,
  height,
  value: btcAmount(value),
  scriptPubKey: scriptResponse(script, format),
});

/** A script: its address is in `addresses` before version 22, in `address` since then. */
function scriptResponse(script: Uint8Array, { version, addressOf }: ResponseFormat) {
  const addressText = addressOf(script);
  const addresses = addressText === null ? {} : version < 220_000 ? { reqSigs: 1, addresses: [addressText] } : { address: addressText };
  return { asm: "", ...(version >= 230_000 ? { desc: `raw(${hex(script)})` } : {}), hex: hex(script), ...addresses, type: "nonstandard" };
}

/** Creates a function that returns the address of a script on regtest, cached because bitcoinjs-lib tries each output kind in turn. */
export function createAddressOf(): ResponseFormat["addressOf"] {
  const addresses = new Map<string, string | null>();
  return (script) => {
    const key = hex(script);
    if (!addresses.has(key)) addresses.set(key, addressOrNull(script));
    return addresses.get(key) ?? null;
  };
}

function addressOrNull(script: Uint8Array): string | null {
  // P2TR (BIP 341): OP_1 and 32 bytes. Without an elliptic curve library, bitcoinjs-lib does not return its address.
  if (script.length === 34 && script[0] === 0x51 && script[1] === 32) return address.toBech32(script.slice(2), 1, networks.regtest.bech32);
  try {
    return address.fromOutputScript(script, networks.regtest);
  } catch {
    return null;
  }
}
