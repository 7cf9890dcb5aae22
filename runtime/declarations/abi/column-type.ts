import type { ColumnType } from "../protocol.ts";

const scalarTypes: readonly (readonly [RegExp, ColumnType])[] = [
  [/^address$/, "address"],
  [/^bytes\d*$/, "bytes"],
  [/^uint\d+$/, "uint256"],
  [/^int\d+$/, "int256"],
  [/^bool$/, "bool"],
  [/^string$/, "text"],
];

const arrayTypes: Partial<Record<ColumnType, ColumnType>> = {
  address: "address[]",
  bytes: "bytes[]",
  uint256: "uint256[]",
  int256: "int256[]",
};

/** The storable types, for diagnostics. */
export const storableTypesText = "address, bool, string, bytes, bytes1 to bytes32, intN, uintN, and arrays of these except bool and string";

/** The column type for values of a canonical ABI type; null if there is none, as for tuples. */
export function columnTypeOf(abiType: string): ColumnType | null {
  const array = /^(.*)\[\d*\]$/.exec(abiType);
  const [, element = abiType] = array ?? [];
  const scalar = scalarTypes.find(([pattern]) => pattern.test(element))?.[1] ?? null;
  return array === null || scalar === null ? scalar : (arrayTypes[scalar] ?? null);
}

/** The column type for an event parameter. The value of an indexed array, string or bytes is not in the log: its topic is a hash. */
export function columnTypeOfParameter({ type, indexed }: { readonly type: string; readonly indexed: boolean }): ColumnType | null {
  const stored = columnTypeOf(type);
  return indexed && stored !== null && isDynamic(type) ? "bytes" : stored;
}

/** Whether values of the type may have any length; a B-tree index can contain only values of up to 2704 bytes (with 8 kB pages). */
export function isDynamic(abiType: string): boolean {
  return abiType === "bytes" || abiType === "string" || abiType.endsWith("]");
}
