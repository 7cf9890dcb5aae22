import type { Address } from "../lib/hex.ts";

/** An invalid token list. */
class TokenListError extends Error {
  override readonly name = "TokenListError";

  constructor(file: string, problem: string) {
    super(
      `Invalid token list ${file}: ${problem}; expected JSON with a list "tokens" of objects with chainId, address and logoURI (tokenlists.org).`,
    );
  }
}

const addressPattern = /^0x[0-9a-f]{40}$/i;
const maxUrlLength = 2_048;

/** The logo URLs of a chain's tokens in a token list, by address. Entries for other chains, or without an HTTP URL, are skipped. @throws {TokenListError} */
export function parseTokenList(file: string, text: string, chainId: number): Readonly<Record<Address, string>> {
  const { tokens } = readJson(file, text);
  if (!Array.isArray(tokens)) throw new TokenListError(file, 'no list "tokens"');
  return Object.fromEntries(
    tokens.flatMap((token: unknown, position) => {
      const { chainId: id, address, logoURI: logo } = (typeof token === "object" && token !== null ? token : {}) as Record<string, unknown>;
      // Entries for other chains may have addresses in other formats.
      if (id !== chainId) return [];
      if (typeof address !== "string" || !addressPattern.test(address))
        throw new TokenListError(file, `token ${position + 1} has no valid address`);
      return isWebUrl(logo) ? [[address.toLowerCase(), logo]] : [];
    }),
  );
}

const readJson = (file: string, text: string): { readonly tokens?: unknown } => {
  try {
    return (JSON.parse(text) ?? {}) as { readonly tokens?: unknown };
  } catch (error) {
    throw new TokenListError(file, `invalid JSON (${error instanceof Error ? error.message : "unreadable"})`);
  }
};

const isWebUrl = (value: unknown): value is string =>
  typeof value === "string" && value.length <= maxUrlLength && /^https?:\/\//.test(value) && URL.canParse(value);
