import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { findJsonObjects, type JsonObject } from "./json-objects.ts";
import type { Fields } from "./parser.ts";
import type { Positions } from "./positions.ts";

/**
 * Checks the JSON objects that a statement builds against the objects in the response's lists (`elements` has their fields): each must have the
 * fields of the object that it resembles most.
 */
export function checkElements(statement: Fields, elements: readonly (readonly string[])[], positions: Positions): Diagnostic[] {
  if (elements.length === 0) return [];
  return findJsonObjects(statement).flatMap((built) => checkObject(built, elements, positions));
}

/** Fields that only protocols on some kinds of chain have; they may be missing, and are then null. */
const optionalFields: ReadonlySet<string> = new Set(["fee"]);

function checkObject({ byteOffset, keys }: JsonObject, elements: readonly (readonly string[])[], positions: Positions): Diagnostic[] {
  if (keys === null) return [];
  const names = keys.map(({ name }) => name);
  const common = (fields: readonly string[]): number => fields.filter((name) => names.includes(name)).length;
  const [fields = []] = [...elements].sort((left, right) => common(right) - common(left));
  const missing = fields.filter((name) => !names.includes(name) && !optionalFields.has(name));
  const repeated = keys.filter(({ name }, index) => names.indexOf(name) < index);
  return [
    ...repeated.map((key) => diagnostic("repeated-key", positions.locationOfByte(key.byteOffset), { name: key.name })),
    ...keys
      .filter(({ name }) => !fields.includes(name))
      .map((key) =>
        diagnostic("surplus-key", positions.locationOfByte(key.byteOffset), {
          name: key.name,
          expected: missing.length > 0 ? missing : fields,
        }),
      ),
    ...(missing.length === 0 ? [] : [diagnostic("missing-keys", positions.locationOfByte(byteOffset), { missing })]),
  ];
}
