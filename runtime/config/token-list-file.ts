import type { Address } from "../lib/hex.ts";

/** A token list that cannot be read. */
class TokenListError extends Error {
  override readonly name = "TokenListError";

  constructor(file: string, problem: string) {
    super(
      `Token list ${file}: ${problem}; accepted: JSON with a list "tokens" of objects with chainId, address and logoURI (tokenlists.org).`,
    );
  }
}

const addressForm = /^0x[0-9a-f]{40}$/i;
const longestUrl = 2_048;

/** The logos that a token list has of a chain's tokens. What is of other chains or has no logo on the web is passed over. @throws {TokenListError} */
export function parseTokenList(file: string, text: string, chainId: number): Readonly<Record<Address, string>> {
  const { tokens } = readJson(file, text);
  if (!Array.isArray(tokens)) throw new TokenListError(file, "it has no list of tokens");
  return Object.fromEntries(
    tokens.flatMap((token: unknown, position) => {
      const { chainId: id, address, logoURI: logo } = (typeof token === "object" && token !== null ? token : {}) as Record<string, unknown>;
      // Lists name tokens of networks whose addresses have other forms.
      if (id !== chainId) return [];
      if (typeof address !== "string" || !addressForm.test(address)) throw new TokenListError(file, `token ${position + 1} has no address`);
      return isWebUrl(logo) ? [[address.toLowerCase(), logo]] : [];
    }),
  );
}

const readJson = (file: string, text: string): { readonly tokens?: unknown } => {
  try {
    return (JSON.parse(text) ?? {}) as { readonly tokens?: unknown };
  } catch (error) {
    throw new TokenListError(file, `it is not JSON (${error instanceof Error ? error.message : "unreadable"})`);
  }
};

const isWebUrl = (value: unknown): value is string =>
  typeof value === "string" && value.length <= longestUrl && /^https?:\/\//.test(value) && URL.canParse(value);
