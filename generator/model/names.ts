/** `page-size` and `page_size` give `pageSize`; camelCase stays. */
export function camelCase(name: string): string {
  return name.replace(/[-_]([a-z0-9])/g, (_match, character: string) => character.toUpperCase());
}

/** `getTokenHolders` gives `GetTokenHolders`. */
export function pascalCase(name: string): string {
  const camel = camelCase(name);
  return camel.charAt(0).toUpperCase() + camel.slice(1);
}

/** `getTokenHolders` gives `get-token-holders`; a number begins a word only where a capital does. */
export function kebabCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
}

/** Orders strings by their UTF-16 code units, which no locale of a machine changes. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
