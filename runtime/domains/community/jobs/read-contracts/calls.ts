import { type AbiFunction, encodeFunctionData, parseAbiItem } from "viem";
import type { CallOutcome } from "../../../../chain/source.ts";
import { parseAbiType } from "../../../../declarations/abi/abi-type.ts";
import { decodeAbi } from "../../../../declarations/abi/decode-abi.ts";
import type { ContractRead } from "../../../../declarations/protocol.ts";
import type { Row } from "../../../../indexer/projection.ts";
import type { Hex } from "../../../../lib/hex.ts";
import { toCell } from "../../cell.ts";

/** The call of a declared read, and the columns of its result. */
export interface ReadCall {
  readonly data: Hex;
  /** Null in every column where the call reverted or returned anything but an encoding of its results. */
  readonly columnsOf: (outcome: CallOutcome) => Row;
}

/** Longer results are not decoded: a contract that returns megabytes must not fill the table. */
const maxBytes = 65_536;

/** Compiles the call of a read. */
export const readCallOf = ({ columns, function: { text }, arguments: values }: ContractRead): ReadCall => {
  const item = parseAbiItem(`function ${text}`) as AbiFunction;
  const args = item.inputs.map(({ type }, position) => toArgument(type, values[position] ?? ""));
  const types = item.outputs.map(({ type }) => parseAbiType(type));
  return {
    data: encodeFunctionData({ abi: [item], functionName: item.name, args }),
    columnsOf: (outcome) => {
      const isShort = outcome.ok && outcome.data.length <= 2 + 2 * maxBytes;
      const decoded = isShort ? decodeAbi(types, outcome.data, { ignoresRest: true }) : null;
      return Object.fromEntries(columns.map(({ name, type }, position) => [name, toCell(decoded?.[position], type)]));
    },
  };
};

const toArgument = (type: string, text: string): unknown => {
  if (/^u?int/.test(type)) return BigInt(text);
  return type === "bool" ? text === "true" : text;
};
