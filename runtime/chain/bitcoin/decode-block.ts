import type { Hash, Hex } from "../../lib/hex.ts";
import { InvalidResponseError } from "../errors.ts";
import { satoshiOf } from "./satoshi.ts";
import type { BitcoinBlock, BitcoinInput, BitcoinOutput, BitcoinTransaction } from "./types.ts";

/** A JSON object whose fields are not checked yet. */
export type RawObject = Readonly<Record<string, unknown>>;

const zeroHash: Hash = `0x${"0".repeat(64)}`;

/**
 * Decodes a response to getblock with verbosity 2 or 3 (Bitcoin Core 22 to 28). Reads scripts, which determine the addresses, because the address
 * fields differ between versions. @throws {InvalidResponseError} if a field is missing or invalid.
 */
export function decodeBlock(response: unknown, expected: { readonly number: number; readonly hash: Hash }): BitcoinBlock {
  const name = `block ${expected.number}`;
  const raw = objectOf(response, name);
  const number = integerOf(raw.height, `height of ${name}`);
  const hash = hashOf(raw.hash, `hash of ${name}`);
  if (number !== expected.number || hash !== expected.hash)
    throw new InvalidResponseError(`The node returned block ${number} (${hash}), expected ${name} (${expected.hash}).`);
  const transactions = listOf(raw.tx, `transactions of ${name}`).map((transaction, index) =>
    decodeTransaction(transaction, index === 0, `transaction ${index} of ${name}`),
  );
  if (transactions.length === 0) throw new InvalidResponseError(`The node returned ${name} without transactions.`);
  return {
    number,
    hash,
    parentHash: number === 0 ? zeroHash : hashOf(raw.previousblockhash, `previousblockhash of ${name}`),
    timestamp: integerOf(raw.time, `time of ${name}`),
    transactions,
  };
}

function decodeTransaction(response: unknown, isCoinbase: boolean, name: string): BitcoinTransaction {
  const raw = objectOf(response, name);
  const inputs = listOf(raw.vin, `vin of ${name}`).map((input, index) => objectOf(input, `input ${index} of ${name}`));
  if (inputs.length === 0 || inputs.some((input) => (input.coinbase !== undefined) !== isCoinbase) || (isCoinbase && inputs.length > 1)) {
    throw new InvalidResponseError(`The node returned unexpected inputs for ${name}.`);
  }
  return {
    txid: hashOf(raw.txid, `txid of ${name}`),
    isCoinbase,
    reportedFee: isCoinbase || raw.fee === undefined ? null : amountOf(raw.fee, `fee of ${name}`),
    inputs: isCoinbase ? [] : inputs.map((input, index) => decodeInput(input, `input ${index} of ${name}`)),
    outputs: decodeOutputs(raw, name),
  };
}

function decodeInput(raw: RawObject, name: string): BitcoinInput {
  return {
    txid: hashOf(raw.txid, `txid of ${name}`),
    index: integerOf(raw.vout, `vout of ${name}`),
    spent:
      raw.prevout === undefined || raw.prevout === null
        ? null
        : decodeOutput(objectOf(raw.prevout, `prevout of ${name}`), `prevout of ${name}`),
  };
}

/** Decodes a transaction's outputs, from a block or from getrawtransaction. @throws {InvalidResponseError} */
export function decodeOutputs(raw: RawObject, name: string): BitcoinOutput[] {
  const outputs = listOf(raw.vout, `vout of ${name}`);
  if (outputs.length === 0) throw new InvalidResponseError(`The node returned ${name} without outputs.`);
  return outputs.map((response, index) => {
    const output = objectOf(response, `output ${index} of ${name}`);
    if (output.n !== index) throw new InvalidResponseError(`The node returned an output of ${name} at the wrong position ${index}.`);
    return decodeOutput(output, `output ${index} of ${name}`);
  });
}

const decodeOutput = (raw: RawObject, name: string): BitcoinOutput => ({
  value: amountOf(raw.value, `value of ${name}`),
  script: scriptOf(objectOf(raw.scriptPubKey, `scriptPubKey of ${name}`).hex, `script of ${name}`),
});

/** @throws {InvalidResponseError} */
export function objectOf(value: unknown, name: string): RawObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(value, name);
  return value as RawObject;
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(value, name);
  return value;
}

/** @throws {InvalidResponseError} */
export function integerOf(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) throw invalid(value, name);
  return value;
}

/** @throws {InvalidResponseError} */
export function textOf(value: unknown, name: string): string {
  if (typeof value !== "string") throw invalid(value, name);
  return value;
}

/** @throws {InvalidResponseError} */
export function hashOf(value: unknown, name: string): Hash {
  if (typeof value !== "string" || !/^[0-9a-f]{64}$/.test(value)) throw invalid(value, name);
  return `0x${value}`;
}

function scriptOf(value: unknown, name: string): Hex {
  if (typeof value !== "string" || value.length % 2 !== 0 || !/^[0-9a-f]*$/.test(value)) throw invalid(value, name);
  return `0x${value}`;
}

function amountOf(value: unknown, name: string): bigint {
  const satoshi = satoshiOf(value);
  if (satoshi === undefined) throw invalid(value, name);
  return satoshi;
}

const maxShown = 40;

const invalid = (value: unknown, name: string): InvalidResponseError => {
  const shown = value === undefined ? "nothing" : (JSON.stringify(value) ?? "nothing").slice(0, maxShown);
  return new InvalidResponseError(`The node returned ${shown} as ${name}.`);
};
