/** A JSON number (RFC 8259, section 6). */
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
/** Matches every number that a double may not represent exactly; `e` also matches true and false, which is harmless. */
const inexactPattern = /[.eE]|\d{16}/;

/**
 * Parses JSON; a number that is not a safe integer in plain notation becomes a string, so that no amount passes through a float.
 * @throws {SyntaxError}
 */
export const parseExactJson = (text: string): unknown => JSON.parse(quoteDecimals(text));

/**
 * Quotes all numbers with a fraction or an exponent, and all that are not safe integers. Strings are skipped without matching, because
 * they may be megabytes long.
 */
function quoteDecimals(text: string): string {
  const parts: string[] = [];
  for (let position = 0; position < text.length; ) {
    const start = text.indexOf('"', position);
    const between = text.slice(position, start < 0 ? text.length : start);
    parts.push(inexactPattern.test(between) ? between.replace(numberPattern, quoteIfInexact) : between);
    if (start < 0) break;
    const end = endOfString(text, start);
    parts.push(text.slice(start, end));
    position = end;
  }
  return parts.join("");
}

const quoteIfInexact = (literal: string): string =>
  /^-?\d+$/.test(literal) && Number.isSafeInteger(Number(literal)) ? literal : `"${literal}"`;

/** The position after the closing quote of the string at `start`; the text's length if there is none. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text[end - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}
