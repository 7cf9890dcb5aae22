import type { AbiParameter } from "viem";

/** Bytes of data up to which a log is decoded, by how deep lists of lists go in its event: items may all point to the same bytes, so each level multiplies. */
const longestByNesting = [65_536, 8_192, 2_048, 512] as const;

/** The bytes of data that these parameters may be decoded from in bounded time. */
export const longestData = (parameters: readonly AbiParameter[]): number =>
  longestByNesting[Math.max(0, ...parameters.map(nestingOf))] ?? 0;

/** How many levels of lists have items of their own length. */
const nestingOf = (parameter: AbiParameter): number => {
  const item = itemOf(parameter);
  if (item !== null) return isDynamic(item) ? 1 + nestingOf(item) : 0;
  return Math.max(0, ...componentsOf(parameter).map(nestingOf));
};

const isDynamic = (parameter: AbiParameter): boolean => {
  if (parameter.type === "string" || parameter.type === "bytes" || parameter.type.endsWith("[]")) return true;
  return [itemOf(parameter) ?? [], componentsOf(parameter)].flat().some(isDynamic);
};

/** What a list is of: the type up to its last bracket; null for what is no list. */
export const itemOf = (parameter: AbiParameter): AbiParameter | null =>
  parameter.type.endsWith("]") ? ({ ...parameter, type: parameter.type.slice(0, parameter.type.lastIndexOf("[")) } as AbiParameter) : null;

/** The fields of a tuple; none of anything else. */
export const componentsOf = (parameter: AbiParameter): readonly AbiParameter[] =>
  parameter.type === "tuple" && "components" in parameter ? parameter.components : [];
