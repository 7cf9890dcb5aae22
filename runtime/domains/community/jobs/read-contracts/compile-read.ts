import { type AbiFunction, encodeFunctionData, parseAbiItem } from "viem";
import type { CallOutcome } from "../../../../chain/source.ts";
import { parseAbiType } from "../../../../declarations/abi/abi-type.ts";
import { decodeAbi } from "../../../../declarations/abi/decode-abi.ts";
import type { ContractRead, ReadArgument } from "../../../../declarations/protocol.ts";
import type { Row } from "../../../../indexer/projection.ts";
import type { Hex } from "../../../../lib/hex.ts";
import { toCell } from "../../cell.ts";
import { varyingArguments } from "../../relations.ts";

/** How a declared read is performed. */
export interface CompiledRead {
  /** The calls for the arguments of a queued read. */
  readonly callsOf: (queued: string) => readonly ReadCall[];
  /** The columns of a call's result: null if it reverted or its result could not be decoded. */
  readonly columnsOf: (outcome: CallOutcome) => Row;
}

export interface ReadCall {
  readonly data: Hex;
  /** The columns of its arguments. */
  readonly arguments: Row;
}

/** Max bytes of a decoded result: a contract that returns megabytes must not fill the table. */
const maxBytes = 65_536;

/** Compiles the calls of a read. */
export const compileRead = (read: ContractRead): CompiledRead => {
  const item = parseAbiItem(`function ${read.function.text}`) as AbiFunction;
  const types = item.outputs.map(({ type }) => parseAbiType(type));
  const names = varyingArguments(read).map(({ name }) => name);
  return {
    callsOf: (queued) =>
      combinations(read.arguments, queued).map((texts) => {
        const values = item.inputs.map(({ type }, position) => toArgument(type, texts[position] ?? ""));
        const cells = values.filter((_, position) => typeof read.arguments[position] !== "string");
        return {
          data: encodeFunctionData({ abi: [item], functionName: item.name, args: values }),
          arguments: Object.fromEntries(names.map((name, position) => [name, cells[position] ?? null])),
        };
      }),
    columnsOf: (outcome) => {
      const isShort = outcome.ok && outcome.data.length <= 2 + 2 * maxBytes;
      const decoded = isShort ? decodeAbi(types, outcome.data, { ignoresRest: true }) : null;
      return Object.fromEntries(read.columns.map(({ name, type }, position) => [name, toCell(decoded?.[position], type)]));
    },
  };
};

/** All argument combinations, in parameter order: queued column values with each of the listed values. */
const combinations = (all: readonly ReadArgument[], queued: string): readonly (readonly string[])[] => {
  const fromColumns = queued.split(",").values();
  return all.reduce<readonly (readonly string[])[]>(
    (lists, argument) => {
      const values = typeof argument === "string" ? [argument] : "each" in argument ? argument.each : [fromColumns.next().value ?? ""];
      return lists.flatMap((list) => values.map((value) => [...list, value]));
    },
    [[]],
  );
};

const toArgument = (type: string, text: string): bigint | boolean | string => {
  if (/^u?int/.test(type)) return BigInt(text);
  return type === "bool" ? text === "true" : text;
};
