import type { UnknownName } from "../diagnostics.ts";
import { allowedExpressions, allowedFunctions, allowedOperators, allowedTypes, apiFunctions, apiViews } from "./allowed.ts";
import { type FieldRule, grammar, nameOfRefused } from "./grammar.ts";
import type { Fields } from "./parser.ts";

/** A refused part of a statement, with the offset of its first byte; null if the tree lacks its position. */
export type Refusal = { readonly byteOffset: number | null } & (
  | { readonly code: "refused-syntax"; readonly data: { readonly what: string } }
  | {
      readonly code: "refused-relation" | "refused-function" | "refused-operator" | "refused-type";
      readonly data: UnknownName;
    }
);

/** The context of a node in the tree. */
interface Scope {
  /** The names of the common table expressions visible to it. */
  readonly ctes: ReadonlySet<string>;
  /** The start of the nearest enclosing node with a known position. */
  readonly byteOffset: number | null;
}

/** Nobody writes deeper trees by hand, and they could overflow the stack of recursive functions in PostgreSQL and in this file. */
const maxDepth = 150;

export interface CheckedTree {
  readonly refusals: readonly Refusal[];
  /** The byte offsets where the protocol's own tables and functions are named, unordered. */
  readonly ownNameOffsets: readonly number[];
  /** The views of the schema `api` that it reads, each once. */
  readonly views: readonly string[];
}

/** The names that a SELECT may use without a schema. */
export interface OwnNames {
  /** The protocol's tables and reads. */
  readonly tables: readonly string[];
  /** The functions of its reads. */
  readonly functions: readonly string[];
}

/** Walks all nodes of a SELECT and returns the refused parts. */
export function checkTree(statement: Fields, { tables, functions }: OwnNames): CheckedTree {
  const refusals: Refusal[] = [];
  const uses: number[] = [];
  const views = new Set<string>();
  const refuse = (refusal: Refusal): void => {
    refusals.push(refusal);
  };

  const walkNode = (node: unknown, scope: Scope, depth: number): void => {
    // DISTINCT and functions in FROM have empty nodes.
    for (const [type, fields] of Object.entries(node as Fields)) walkFields(type, fields as Fields, scope, depth);
  };

  const walkFields = (type: string, fields: Fields, outer: Scope, depth: number): void => {
    const byteOffset = locationOf(type, fields) ?? firstLocation(fields) ?? outer.byteOffset;
    const rules = grammar[type];
    if (rules === undefined) refuse(syntax(type, byteOffset));
    else if (depth > maxDepth) refuse({ code: "refused-syntax", byteOffset, data: { what: `nesting of more than ${maxDepth} levels` } });
    else
      walkKnown(
        { type, fields, rules },
        { byteOffset, ctes: type === "SelectStmt" ? walkCtes(fields, { ...outer, byteOffset }, depth) : outer.ctes },
        depth,
      );
  };

  const walkKnown = ({ type, fields, rules }: KnownNode, scope: Scope, depth: number): void => {
    const refusal = checkNode(type, fields, { ...scope, tables, functions });
    if (refusal !== null) refuse(refusal);
    if (isOwn(type, fields, { ...scope, tables, functions })) uses.push(scope.byteOffset ?? 0);
    if (type === "RangeVar" && isApiView(fields)) views.add(String(fields.relname));
    const unknown = Object.keys(fields).find((name) => rules[name] === undefined);
    if (unknown !== undefined) refuse(unknownField(type, unknown, fields[unknown], scope.byteOffset));
    for (const [name, value] of Object.entries(fields)) {
      if (name !== "withClause") walkField(rules[name] ?? "value", value, scope, depth + 1);
    }
  };

  const walkField = (rule: FieldRule, value: unknown, scope: Scope, depth: number): void => {
    if (rule === "node") walkNode(value, scope, depth);
    else if (rule === "nodes") for (const node of value as readonly unknown[]) walkNode(node, scope, depth);
    else if (rule !== "value") walkFields(rule.type, value as Fields, scope, depth);
  };

  // A common table expression can use the preceding ones, but not itself: in its own query, its name refers to a table.
  const walkCtes = ({ withClause }: Fields, scope: Scope, depth: number): ReadonlySet<string> => {
    if (withClause === undefined) return scope.ctes;
    const { ctes = [], recursive, location } = withClause as { ctes?: readonly Fields[]; recursive?: boolean; location?: number };
    if (recursive === true) refuse(syntax("WithClause.recursive", location ?? 0));
    let seen = scope.ctes;
    for (const node of ctes) {
      walkNode(node, { ...scope, ctes: seen }, depth + 1);
      const { ctename } = node.CommonTableExpr as { ctename: string };
      seen = new Set([...seen, ctename]);
    }
    return seen;
  };

  walkFields("SelectStmt", statement, { ctes: new Set(), byteOffset: null }, 0);
  return { refusals, ownNameOffsets: uses, views: [...views] };
}

interface KnownNode {
  readonly type: string;
  readonly fields: Fields;
  readonly rules: (typeof grammar)[string];
}

interface NodeScope extends Scope, OwnNames {}

const syntax = (node: string, byteOffset: number | null): Refusal => ({
  code: "refused-syntax",
  byteOffset,
  data: { what: nameOfRefused(node) },
});

/** Refuses a node's field if it is not in the grammar. The tree does not contain the position of row locks without table names. */
function unknownField(type: string, name: string, value: unknown, byteOffset: number | null): Refusal {
  const path = `${type}.${name}`;
  return syntax(path, firstLocation(value) ?? (path === "SelectStmt.lockingClause" ? null : byteOffset));
}

/** Checks a node, without its children. */
function checkNode(type: string, fields: Fields, scope: NodeScope): Refusal | null {
  const { byteOffset } = scope;
  switch (type) {
    case "RangeVar":
      return checkRelation(fields, scope);
    case "FuncCall":
      return checkFunction(stringsOf(fields.funcname), scope);
    case "A_Expr":
      return checkOperator(fields, byteOffset);
    case "SubLink":
      return fields.operName === undefined ? null : checkOperatorName(stringsOf(fields.operName), byteOffset);
    case "TypeName":
      return checkType(stringsOf(fields.names), byteOffset);
    case "A_Indirection":
      return (fields.indirection as readonly Fields[]).some((step) => !("A_Indices" in step))
        ? syntax("A_Indirection.String", byteOffset)
        : null;
    default:
      return null;
  }
}

function checkRelation(fields: Fields, scope: NodeScope): Refusal | null {
  const { catalogname, schemaname, relname } = fields;
  if (isApiView(fields)) return null;
  if (isOwnTable(fields, scope) || (schemaname === undefined && scope.ctes.has(String(relname)))) return null;
  const name = [catalogname, schemaname, relname].filter((part) => part !== undefined).join(".");
  const expected = [...scope.tables, ...scope.ctes, ...apiViews.map((view) => `api.${view}`)];
  return { code: "refused-relation", byteOffset: scope.byteOffset, data: { name, expected } };
}

function isApiView({ catalogname, schemaname, relname }: Fields): boolean {
  return catalogname === undefined && schemaname === "api" && apiViews.includes(String(relname));
}

/** A common table expression hides a table of the same name. */
function isOwnTable({ catalogname, schemaname, relname }: Fields, { tables, ctes }: Pick<NodeScope, "tables" | "ctes">): boolean {
  const name = String(relname);
  return catalogname === undefined && schemaname === undefined && tables.includes(name) && !ctes.has(name);
}

/** Whether a node names one of the protocol's tables or functions. */
function isOwn(type: string, fields: Fields, scope: NodeScope): boolean {
  if (type === "RangeVar") return isOwnTable(fields, scope);
  return type === "FuncCall" && isOwnFunction(stringsOf(fields.funcname), scope.functions);
}

function isOwnFunction(names: readonly string[], functions: readonly string[]): boolean {
  return names.length === 1 && functions.includes(names[0] ?? "");
}

function checkFunction(names: readonly string[], { functions, byteOffset }: Pick<NodeScope, "functions" | "byteOffset">): Refusal | null {
  if (isOwnFunction(names, functions)) return null;
  const [schema, name = ""] = names.length === 1 ? ["pg_catalog", ...names] : names;
  const isAllowed = schema === "pg_catalog" ? allowedFunctions.has(name) : schema === "api" && apiFunctions.includes(name);
  if (isAllowed && names.length <= 2) return null;
  const expected = [...functions, ...apiFunctions.map((apiFunction) => `api.${apiFunction}`), ...allowedFunctions];
  return { code: "refused-function", byteOffset, data: { name: names.join("."), expected } };
}

function checkOperator({ kind, name }: Fields, byteOffset: number | null): Refusal | null {
  if (!allowedExpressions.has(String(kind)))
    return { code: "refused-operator", byteOffset, data: { name: "SIMILAR TO", expected: [...allowedOperators] } };
  return String(kind).startsWith("AEXPR_OP") ? checkOperatorName(stringsOf(name), byteOffset) : null;
}

function checkOperatorName(names: readonly string[], byteOffset: number | null): Refusal | null {
  const name = names.join(".");
  return names.length === 1 && allowedOperators.has(name)
    ? null
    : { code: "refused-operator", byteOffset, data: { name, expected: [...allowedOperators] } };
}

// PostgreSQL's grammar qualifies types and functions with their own SQL syntax, such as bigint and EXTRACT.
function checkType(names: readonly string[], byteOffset: number | null): Refusal | null {
  const [schema, name = ""] = names.length === 1 ? ["pg_catalog", ...names] : names;
  if (schema === "pg_catalog" && names.length <= 2 && allowedTypes.has(name)) return null;
  return { code: "refused-type", byteOffset, data: { name: names.join("."), expected: [...allowedTypes] } };
}

function stringsOf(nodes: unknown): string[] {
  return ((nodes ?? []) as readonly { readonly String?: { readonly sval?: string } }[]).map((node) => node.String?.sval ?? "");
}

/** The byte where a node starts. Fields with the value 0 are absent from the tree. */
function locationOf(type: string, fields: Fields): number | null {
  const { location } = fields;
  if (typeof location === "number") return location < 0 ? null : location;
  return grammar[type]?.location === undefined ? null : 0;
}

/** The first position in a part of the tree. */
function firstLocation(value: unknown): number | null {
  if (typeof value !== "object" || value === null) return null;
  if ("location" in value && typeof value.location === "number" && value.location >= 0) return value.location;
  for (const inner of Object.values(value)) {
    const found = firstLocation(inner);
    if (found !== null) return found;
  }
  return null;
}
