import type { AbiParameter } from "viem";

/**
 * Max bytes of decoded data, by the nesting depth of the event's arrays: all elements may point to the same bytes, so each level multiplies the work.
 */
const maxBytesByNesting = [65_536, 8_192, 2_048, 512] as const;

/** The max length of data decoded to these parameters; it bounds the decoding time. */
export const maxDataBytes = (parameters: readonly AbiParameter[]): number =>
  maxBytesByNesting[Math.max(0, ...parameters.map(nestingDepth))] ?? 0;

/** The nesting depth of arrays whose elements have a dynamic length. */
const nestingDepth = (parameter: AbiParameter): number => {
  const element = elementOf(parameter);
  if (element !== null) return isDynamic(element) ? 1 + nestingDepth(element) : 0;
  return Math.max(0, ...componentsOf(parameter).map(nestingDepth));
};

const isDynamic = (parameter: AbiParameter): boolean => {
  if (parameter.type === "string" || parameter.type === "bytes" || parameter.type.endsWith("[]")) return true;
  return [elementOf(parameter) ?? [], componentsOf(parameter)].flat().some(isDynamic);
};

/** The element type of an array, which is its type up to the last bracket; null if the parameter is not an array. */
export const elementOf = (parameter: AbiParameter): AbiParameter | null =>
  parameter.type.endsWith("]") ? ({ ...parameter, type: parameter.type.slice(0, parameter.type.lastIndexOf("[")) } as AbiParameter) : null;

/** The fields of a tuple; empty for other types. */
export const componentsOf = (parameter: AbiParameter): readonly AbiParameter[] =>
  parameter.type === "tuple" && "components" in parameter ? parameter.components : [];
