import { hasSqlDetails, loadModule, parseSync, scanSync } from "libpg-query";

// PostgreSQL's own grammar, compiled to WebAssembly; modules that import this one call it synchronously.
await loadModule();

/** A lexical token. Offsets count bytes of UTF-8, as in the tree. */
export interface Token {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** PostgreSQL's name for the token, such as `IDENT`, `PARAM` or `ASCII_58` (a colon). */
  readonly name: string;
  readonly keyword: KeywordKind;
}

/** Keyword categories (PostgreSQL manual, appendix "SQL Key Words"): keywords of the first three may name columns and tables. */
export type KeywordKind = "none" | "unreserved" | "column" | "function" | "reserved";
const keywordKinds: readonly KeywordKind[] = ["none", "unreserved", "column", "function", "reserved"];

/** The fields of a tree node; absent ones have their default value. */
export type Fields = Readonly<Record<string, unknown>>;

/** A statement in the tree: its node, and its first byte. */
export interface Statement {
  readonly type: string;
  readonly fields: Fields;
  readonly start: number;
}

/** Text that is not SQL. */
export class SqlSyntaxError extends Error {
  override readonly name = "SqlSyntaxError";

  constructor(
    message: string,
    /** The position of the error in Unicode characters. */
    readonly character: number,
  ) {
    super(message);
  }
}

/** The tokens of a text, including its comments. @throws {SqlSyntaxError} */
export function scanTokens(text: string): Token[] {
  // The library rejects empty text.
  if (text === "") return [];
  const { tokens } = guarded(text, () => scanSync(text));
  return tokens.map(({ start, end, text: found, tokenName, keywordKind }) => ({
    start,
    end,
    text: found,
    name: tokenName,
    keyword: keywordKinds[keywordKind] ?? "reserved",
  }));
}

/** The statements of a text. @throws {SqlSyntaxError} */
export function parseStatements(text: string): Statement[] {
  const { stmts = [] } = guarded(text, () => parseSync(text));
  return stmts.map(({ stmt, stmt_location: start = 0 }) => {
    const [type = "", fields = {}] = Object.entries(stmt ?? {})[0] ?? [];
    return { type, fields: fields as Fields, start };
  });
}

/** Named parameters, which are not SQL. */
const namedParameter = /(?<!:):[a-z_]\w*/gi;

// The scanner reports lexical errors without a position, so the parser is run to obtain it.
function guarded<T>(text: string, run: () => T): T {
  try {
    return run();
  } catch {
    try {
      parseSync(text.replace(namedParameter, (name) => "$1".padEnd(name.length)));
      throw new SqlSyntaxError("the text cannot be read", 0);
    } catch (error) {
      if (error instanceof SqlSyntaxError) throw error;
      const position = hasSqlDetails(error) ? (error.sqlDetails?.cursorPosition ?? 0) : 0;
      throw new SqlSyntaxError(error instanceof Error ? error.message : "the text cannot be read", position);
    }
  }
}
