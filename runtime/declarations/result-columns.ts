const prettyPrefix = "pretty_";
const logo = /^(?:(.*)_)?logo_url$/;

/**
 * The field that a field is derived from: the value of a formatted field, or the contract of a logo that the operator configures. Null for a field
 * that is not derived.
 */
export function derivedSource(name: string): string | null {
  if (name.startsWith(prettyPrefix)) return name.slice(prettyPrefix.length);
  const match = logo.exec(name);
  return match === null ? null : `${match[1] ?? "contract"}_address`;
}

/** The columns that the SQL of an operation returns: all fields of its items except fields that the server derives from others. */
export function resultColumns(fields: readonly string[]): string[] {
  return fields.filter((name) => derivedSource(name) === null);
}
