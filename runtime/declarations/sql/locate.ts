import type { SqlSource } from "../added-protocol.ts";
import type { SourceLocation } from "../diagnostics.ts";
import { compileParameters, findParameters } from "./parameters.ts";
import { parseStatements, scanTokens } from "./parser.ts";
import { positionsIn } from "./positions.ts";
import { resultColumnsOf } from "./result.ts";

/**
 * Maps the position of a Unicode character in a compiled statement to its location in the file. Compilation inserted the schema before table names, and
 * replaced parameters and semicolons with text of the same length.
 */
export function locateCharacter(
  { path, text }: SqlSource,
  compiled: { readonly text: string; readonly schema: string },
  character: number,
) {
  const [written, statement, inserted] = [[...text], [...compiled.text], [...`"${compiled.schema}".`]];
  const isAt = (characters: readonly string[], start: number): boolean =>
    inserted.every((expected, offset) => characters[start + offset] === expected);
  let offset = 0;
  for (let position = 0; position < character; ) {
    if (isAt(statement, position) && !isAt(written, offset)) position += inserted.length;
    else {
      position += 1;
      offset += 1;
    }
  }
  return positionsIn(path, text).locationOfCharacter(offset);
}

/** The location of a result column in a checked statement's file. */
export function locateColumn({ path, text }: SqlSource, name: string): SourceLocation {
  const tokens = scanTokens(text).filter((token) => !token.name.endsWith("COMMENT"));
  const [statement] = parseStatements(compileParameters(text, findParameters(tokens), []).text);
  const column = resultColumnsOf(statement?.fields ?? {}).columns.find((found) => found.name === name);
  return positionsIn(path, text).locationOfByte(column?.byteOffset ?? tokens[0]?.start ?? 0);
}

/** The location of the statement in its file. */
export function locateStatement({ path, text }: SqlSource): SourceLocation {
  const first = scanTokens(text).find((token) => !token.name.endsWith("COMMENT"));
  return positionsIn(path, text).locationOfByte(first?.start ?? 0);
}
