import type { AbiParameter } from "viem";
import { componentsOf, elementOf } from "./abi-parameters.ts";

/** A decoded ABI value as text: numbers in decimal, addresses and bytes in lower case, arrays and tuples as compact JSON of these texts. */
export const renderValue = (parameter: AbiParameter, value: unknown): string => {
  const plain = toPlain(parameter, value);
  return typeof plain === "string" ? plain : JSON.stringify(plain);
};

type Plain = string | readonly Plain[] | { readonly [name: string]: Plain };

const toPlain = (parameter: AbiParameter, value: unknown): Plain => {
  const element = elementOf(parameter);
  if (element !== null && Array.isArray(value)) return value.map((entry) => toPlain(element, entry));
  if (parameter.type === "tuple") return toPlainTuple(parameter, value);
  if (parameter.type === "address" || parameter.type.startsWith("bytes")) return String(value).toLowerCase();
  // PostgreSQL's text and many clients do not accept NUL.
  if (parameter.type === "string") return String(value).replaceAll("\0", "");
  return String(value);
};

const toPlainTuple = (parameter: AbiParameter, value: unknown): Plain => {
  const components = componentsOf(parameter);
  const list = Array.isArray(value);
  return Object.fromEntries(
    components.map((component, position) => {
      const name = component.name === undefined || component.name === "" ? String(position) : component.name;
      const field = list ? value[position] : (value as Record<string, unknown>)[name];
      return [name, toPlain(component, field)];
    }),
  );
};
