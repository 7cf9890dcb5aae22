const prettyPrefix = "pretty_";
const logo = /^(?:(.*)_)?logo_url$/;

/**
 * The source of a derived field: the value behind a formatted field, or the contract whose logo the operator configures. Null for
 * other fields.
 */
export function derivedSource(name: string): string | null {
  if (name.startsWith(prettyPrefix)) return name.slice(prettyPrefix.length);
  const match = logo.exec(name);
  return match === null ? null : `${match[1] ?? "contract"}_address`;
}

/** The columns that an operation's SQL returns: all fields of its items, except fields that the server derives from others. */
export function requiredColumns(fields: readonly string[]): string[] {
  return fields.filter((name) => derivedSource(name) === null);
}
