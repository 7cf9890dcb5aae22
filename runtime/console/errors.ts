import type { z } from "zod";

/** The rejection of a request to the console, with the status of the response. */
export class ConsoleError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const maxShown = 200;
/** Objects are not rendered, because deeply nested ones would overflow the stack. */
const show = (value: unknown): string => {
  if (Array.isArray(value)) return "(a list)";
  if (typeof value === "object" && value !== null) return "(an object)";
  return (JSON.stringify(value) ?? "nothing").slice(0, maxShown);
};

const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, name) => (typeof inner === "object" && inner !== null ? (inner as Record<PropertyKey, unknown>)[name] : undefined),
    value,
  );

/** Checks a value from a browser. @throws {ConsoleError} 400 with the first invalid field, its value and the expected one. */
export function parseWith<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = issue?.path.map(String).join(".") || "the request";
  throw new ConsoleError(
    400,
    `Invalid value ${show(valueAt(value, issue?.path ?? []))} for ${name}: expected ${issue?.message ?? "another value"}.`,
  );
}
