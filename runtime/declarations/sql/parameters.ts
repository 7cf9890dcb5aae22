import { type QueryParameter, queryParameters } from "../protocol.ts";
import type { Token } from "./parser.ts";

/** A named parameter as written: `:chain`. */
interface ParameterUse {
  readonly name: string;
  /** The byte of its colon. */
  readonly start: number;
  readonly length: number;
}

/** A text with `$1`, `$2` … in place of its named parameters. */
export interface CompiledText {
  /** Has the same length as the original, so that positions in it are those in the file. */
  readonly text: string;
  /** By number: the first is `$1`. */
  readonly parameters: readonly QueryParameter[];
}

/** The named parameters among the tokens: a colon directly before a name, which is not SQL anywhere except in array slices. */
export function findParameters(tokens: readonly Token[]): ParameterUse[] {
  return tokens.flatMap((token, index) => {
    const next = tokens[index + 1];
    const isUse = token.text === ":" && next?.start === token.end && /^[a-z_]/i.test(next.text);
    return isUse ? [{ name: next.text, start: token.start, length: next.end - token.start }] : [];
  });
}

/** Whether a name is one of the parameters. */
export function isQueryParameter(name: string): name is QueryParameter {
  return (queryParameters as readonly string[]).includes(name);
}

/** Replaces the parameters with numbers in the order of their first use, and the semicolon after the statement with a space. */
export function compileParameters(text: string, uses: readonly ParameterUse[], semicolons: readonly number[]): CompiledText {
  const names = [...new Set(uses.map(({ name }) => name))].filter(isQueryParameter);
  const bytes = Buffer.from(text);
  for (const { name, start, length } of uses) {
    // There are eight parameters, so numbers have one digit. An unknown name is reported elsewhere, and gets a number that no parameter has.
    const number = isQueryParameter(name) ? names.indexOf(name) + 1 : queryParameters.length + 1;
    bytes.write(`$${number}`.padEnd(length), start);
  }
  for (const offset of semicolons) bytes.write(" ", offset);
  return { text: bytes.toString(), parameters: names };
}
