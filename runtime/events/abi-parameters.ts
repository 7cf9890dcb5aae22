import type { AbiParameter } from "viem";

/** Maximum bytes of decoded data by the depth of nested lists in the event: all items may point to the same bytes, so the work multiplies with each level. */
const maxBytesByNesting = [65_536, 8_192, 2_048, 512] as const;

/** The maximum length of the data that is decoded to these parameters, which bounds the decoding time. */
export const maxDataBytes = (parameters: readonly AbiParameter[]): number =>
  maxBytesByNesting[Math.max(0, ...parameters.map(nestingOf))] ?? 0;

/** Number of nested levels of lists with items of dynamic length. */
const nestingOf = (parameter: AbiParameter): number => {
  const item = itemOf(parameter);
  if (item !== null) return isDynamic(item) ? 1 + nestingOf(item) : 0;
  return Math.max(0, ...componentsOf(parameter).map(nestingOf));
};

const isDynamic = (parameter: AbiParameter): boolean => {
  if (parameter.type === "string" || parameter.type === "bytes" || parameter.type.endsWith("[]")) return true;
  return [itemOf(parameter) ?? [], componentsOf(parameter)].flat().some(isDynamic);
};

/** The item type of a list: the type up to its last bracket; null if it is not a list. */
export const itemOf = (parameter: AbiParameter): AbiParameter | null =>
  parameter.type.endsWith("]") ? ({ ...parameter, type: parameter.type.slice(0, parameter.type.lastIndexOf("[")) } as AbiParameter) : null;

/** The fields of a tuple; empty for other types. */
export const componentsOf = (parameter: AbiParameter): readonly AbiParameter[] =>
  parameter.type === "tuple" && "components" in parameter ? parameter.components : [];
