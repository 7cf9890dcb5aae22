/** A parameter as the driver sends it: text, bytes in binary format, or null. */
export type Parameter = string | Buffer | null;

/** Converts values to parameters; null if a value is neither a primitive value, bytes nor a list of primitive values. */
export function parametersOf(values: readonly unknown[]): Parameter[] | null {
  const parameters: Parameter[] = [];
  for (const value of values) {
    const parameter = parameterOf(value);
    if (parameter === undefined) return null;
    parameters.push(parameter);
  }
  return parameters;
}

function parameterOf(value: unknown): Parameter | undefined {
  if (value === null || value === undefined) return null;
  if (typeof value !== "object") return String(value);
  if (Buffer.isBuffer(value)) return value;
  return Array.isArray(value) && !value.some(isObject) ? arrayOf(value) : undefined;
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

/** An array literal (PostgreSQL, section 8.15.6). */
const arrayOf = (items: readonly unknown[]): string => `{${items.map(itemOf).join(",")}}`;

const itemOf = (item: unknown): string =>
  item === null || item === undefined ? "NULL" : typeof item === "number" ? String(item) : `"${String(item).replace(/["\\]/g, "\\$&")}"`;
