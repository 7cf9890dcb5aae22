/** Converts `page-size` and `page_size` to `pageSize`; camelCase is unchanged. */
export function camelCase(name: string): string {
  return name.replace(/[-_]([a-z0-9])/g, (_match, character: string) => character.toUpperCase());
}

/** Converts `getTokenHolders` to `GetTokenHolders`. */
export function pascalCase(name: string): string {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** Converts `getTokenHolders` to `get-token-holders`; a digit does not start a new word. */
export function kebabCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
}

/** Compares strings by UTF-16 code units, independently of the locale. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
