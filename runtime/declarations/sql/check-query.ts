import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { type OperationQuery, type QueryParameter, queryParameters } from "../protocol.ts";
import { checkElements } from "./check-elements.ts";
import { checkTree, type OwnNames, type Refusal } from "./check-tree.ts";
import { compileParameters, findParameters, isQueryParameter } from "./parameters.ts";
import { parseStatements, SqlSyntaxError, type Statement, scanTokens, type Token } from "./parser.ts";
import { type Positions, positionsIn } from "./positions.ts";
import { findPagingProblems, type ResultColumn, resultColumnsOf } from "./result.ts";

/** The names that an operation's SQL may or must use. */
export interface QueryScope extends OwnNames {
  /** The schema of the protocol's own tables, reads and functions. */
  readonly schema: string;
  /** The parameters of the operation: each must be used, since a query that ignores one would return rows for other chains, heights or wallets. */
  readonly parameters: readonly QueryParameter[];
  /** The columns of the result, in any order; null if they are unknown. */
  readonly columns: readonly string[] | null;
  /** The fields of the objects in the result's lists, which are JSON columns. */
  readonly elements?: readonly (readonly string[])[];
}

export interface CheckedQuery {
  /** Null if there are diagnostics. */
  readonly query: Omit<OperationQuery, "file"> | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Enough for a 500-line query; the limits bound the parser's time and the depth of its tree. */
const maxBytes = 65_536;
const maxTokens = 5_000;

/** Checks that an operation's SQL is one SELECT that uses only allowed names and syntax. `file` is its path in diagnostics. */
export function checkQuery(file: string, text: string, scope: QueryScope): CheckedQuery {
  const positions = positionsIn(file, text);
  const start = { file, line: 1, column: 1 };
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) return refused(diagnostic("sql-size", start, { found: `${bytes} bytes`, expected: `at most ${maxBytes} bytes` }));
  try {
    const tokens = scanTokens(text).filter(({ name }) => !name.endsWith("COMMENT"));
    if (tokens.length > maxTokens) {
      const data = { found: `${tokens.length} words and symbols`, expected: `at most ${maxTokens}` };
      return refused(diagnostic("sql-size", start, data));
    }
    if (tokens.length === 0) return refused(diagnostic("sql-statement", start, { found: "no statement" }));
    return checkTokens(text, tokens, positions, scope);
  } catch (error) {
    if (!(error instanceof SqlSyntaxError)) throw error;
    return refused(diagnostic("sql-syntax", positions.locationOfCharacter(error.character), { problem: error.message }));
  }
}

const refused = (...diagnostics: readonly Diagnostic[]): CheckedQuery => ({ query: null, diagnostics });

/** @throws {SqlSyntaxError} */
function checkTokens(text: string, tokens: readonly Token[], positions: Positions, scope: QueryScope): CheckedQuery {
  const uses = findParameters(tokens);
  const semicolons = tokens.filter((token) => token.text === ";").map((token) => token.start);
  const statements = parseStatements(compileParameters(text, uses, []).text);
  const first = findSelect(statements, tokens, positions);
  if ("code" in first) return refused(first);
  const compiled = compileParameters(text, uses, semicolons);
  const numberOf = (name: QueryParameter): number => compiled.parameters.indexOf(name) + 1;
  const statementStart = positions.locationOfByte(tokens[0]?.start ?? 0);
  const { columns, unnamed } = resultColumnsOf(first.fields);
  const tree = checkTree(first.fields, scope);
  const diagnostics = [
    ...tokens.filter(({ name }) => name === "PARAM").map((token) => positional(token, positions)),
    ...uses.flatMap(({ name, start }) => checkParameter(name, positions.locationOfByte(start), scope)),
    ...tree.refusals.map((refusal) => refusalDiagnostic(refusal, tokens, positions)),
    ...unnamed.map((byteOffset) => diagnostic("unnamed-column", positions.locationOfByte(byteOffset))),
    ...(unnamed.length > 0 ? [] : checkColumns(columns, scope.columns, positions, statementStart)),
    ...checkElements(first.fields, scope.elements ?? [], positions),
    ...scope.parameters
      .filter((name) => !compiled.parameters.includes(name))
      .map((name) => diagnostic("unused-parameter", statementStart, { name })),
    ...(scope.parameters.includes("limit")
      ? findPagingProblems(first.fields, { limit: numberOf("limit"), offset: numberOf("offset") })
      : []
    ).map((expected) => diagnostic("unpaged-query", statementStart, { expected })),
  ];
  if (diagnostics.length > 0) return refused(...diagnostics);
  const query = {
    text: qualifyNames(compiled.text, tree.ownNameOffsets, scope.schema),
    parameters: compiled.parameters,
    columns: columns.map(({ name }) => name),
    views: tree.views,
  };
  return { query, diagnostics };
}

/** Inserts the schema before names, so that the text does not depend on the search path. */
function qualifyNames(text: string, offsets: readonly number[], schema: string): string {
  const bytes = Buffer.from(text);
  const sorted = [...offsets].sort((left, right) => left - right);
  const parts = sorted.map((offset, index) => bytes.subarray(sorted[index - 1] ?? 0, offset).toString());
  return [...parts, bytes.subarray(sorted.at(-1) ?? 0).toString()].join(`"${schema}".`);
}

/** The only statement, or the diagnostic of an unexpected one. */
function findSelect(statements: readonly Statement[], tokens: readonly Token[], positions: Positions): Statement | Diagnostic {
  const [first, second] = statements;
  // A lone semicolon.
  if (first === undefined) return diagnostic("sql-statement", positions.locationOfByte(0), { found: "no statement" });
  const tokenAt = (start: number) => tokens.find((token) => token.start >= start);
  const token = tokenAt(first.start);
  const location = positions.locationOfByte(token?.start ?? 0);
  if (first.type !== "SelectStmt") return diagnostic("sql-statement", location, { found: (token?.text ?? "").toUpperCase() });
  if (second === undefined) return first;
  return diagnostic("sql-statement", positions.locationOfByte(tokenAt(second.start)?.start ?? 0), { found: "a second statement" });
}

function positional(token: Token, positions: Positions): Diagnostic {
  const data = { name: token.text, kind: "a named parameter", expected: queryParameters.map((name) => `:${name}`) };
  return diagnostic("unknown-parameter", positions.locationOfByte(token.start), data);
}

function checkParameter(name: string, location: ReturnType<Positions["locationOfByte"]>, { parameters }: QueryScope): Diagnostic[] {
  if (isQueryParameter(name) && parameters.includes(name)) return [];
  const data = { name: `:${name}`, kind: "a parameter of this operation", expected: parameters.map((known) => `:${known}`) };
  return [diagnostic("unknown-parameter", location, data)];
}

// The tree does not contain the position of a row lock.
function refusalDiagnostic({ code, byteOffset, data }: Refusal, tokens: readonly Token[], positions: Positions): Diagnostic {
  const lock = tokens.findLast(({ text }) => text.toUpperCase() === "FOR");
  const location = positions.locationOfByte(byteOffset ?? lock?.start ?? 0);
  return code === "refused-syntax" ? diagnostic(code, location, data) : diagnostic(code, location, data);
}

function checkColumns(
  found: readonly ResultColumn[],
  expected: readonly string[] | null,
  positions: Positions,
  statementStart: ReturnType<Positions["locationOfByte"]>,
): Diagnostic[] {
  const repeated = found.filter(({ name }, index) => found.findIndex((other) => other.name === name) < index);
  const findings = repeated.map(({ name, byteOffset }) => diagnostic("duplicate-column", positions.locationOfByte(byteOffset), { name }));
  if (expected === null) return findings;
  const names = found.map(({ name }) => name);
  const missing = expected.filter((name) => !names.includes(name));
  const surplus = found.filter(({ name }) => !expected.includes(name));
  return [
    ...findings,
    ...surplus.map(({ name, byteOffset }) =>
      diagnostic("surplus-column", positions.locationOfByte(byteOffset), { name, expected: missing.length > 0 ? missing : expected }),
    ),
    ...(missing.length === 0 ? [] : [diagnostic("missing-column", statementStart, { missing })]),
  ];
}
