import type { Unknown } from "../diagnostics.ts";
import { allowedExpressions, allowedFunctions, allowedOperators, allowedTypes, apiFunctions, apiViews } from "./allowed.ts";
import { type FieldRule, grammar, nameOfRefused } from "./grammar.ts";
import type { Fields } from "./parser.ts";

/** A part of a statement that is refused, with the byte where it starts; null if the tree does not contain it. */
export type Refusal = { readonly at: number | null } & (
  | { readonly code: "refused-syntax"; readonly data: { readonly what: string } }
  | {
      readonly code: "refused-relation" | "refused-function" | "refused-operator" | "refused-type";
      readonly data: Unknown;
    }
);

/** Where a node is in the tree. */
interface Scope {
  /** The names of the common table expressions that it sees. */
  readonly ctes: ReadonlySet<string>;
  /** The start of the nearest node around it whose position is known. */
  readonly at: number | null;
}

/** Deeper trees are not written by hand, and recursive functions of PostgreSQL and this file are limited by their stacks. */
const maxDepth = 150;

/** Walks all nodes of a SELECT and returns what is not allowed in it. `tables` are the names that it may read without a schema. */
export function checkTree(statement: Fields, tables: readonly string[]): Refusal[] {
  const refusals: Refusal[] = [];
  const refuse = (refusal: Refusal): void => {
    refusals.push(refusal);
  };

  const walkNode = (node: unknown, scope: Scope, depth: number): void => {
    // DISTINCT and functions in FROM have empty nodes.
    for (const [type, fields] of Object.entries(node as Fields)) walkFields(type, fields as Fields, scope, depth);
  };

  const walkFields = (type: string, fields: Fields, outer: Scope, depth: number): void => {
    const at = locationOf(type, fields) ?? firstLocation(fields) ?? outer.at;
    const rules = grammar[type];
    if (rules === undefined) {
      refuse(syntax(type, at));
      return;
    }
    if (depth > maxDepth) {
      refuse({ code: "refused-syntax", at, data: { what: `nesting of more than ${maxDepth} levels` } });
      return;
    }
    const scope: Scope = type === "SelectStmt" ? { at, ctes: walkCtes(fields, { ...outer, at }, depth) } : { ...outer, at };
    const refusal = checkNode(type, fields, { at, tables, ctes: scope.ctes });
    if (refusal !== null) refuse(refusal);
    const unknown = Object.keys(fields).find((name) => rules[name] === undefined);
    if (unknown !== undefined) refuse(unknownField(type, unknown, fields[unknown], scope.at));
    for (const [name, value] of Object.entries(fields)) {
      if (name !== "withClause") walkField(rules[name] ?? "value", value, scope, depth + 1);
    }
  };

  const walkField = (rule: FieldRule, value: unknown, scope: Scope, depth: number): void => {
    if (rule === "node") walkNode(value, scope, depth);
    else if (rule === "nodes") for (const node of value as readonly unknown[]) walkNode(node, scope, depth);
    else if (rule !== "value") walkFields(rule.type, value as Fields, scope, depth);
  };

  // A common table expression sees those before it, and not itself: there, its name is the name of a table.
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

  walkFields("SelectStmt", statement, { ctes: new Set(), at: null }, 0);
  return refusals;
}

interface NodeScope extends Scope {
  readonly tables: readonly string[];
}

const syntax = (node: string, at: number | null): Refusal => ({ code: "refused-syntax", at, data: { what: nameOfRefused(node) } });

/** The first field of a node that the grammar lacks. The tree has no position of row locks without names of tables. */
function unknownField(type: string, name: string, value: unknown, at: number | null): Refusal {
  const path = `${type}.${name}`;
  return syntax(path, firstLocation(value) ?? (path === "SelectStmt.lockingClause" ? null : at));
}

/** What is refused of a node itself, apart from the nodes in it. */
function checkNode(type: string, fields: Fields, scope: NodeScope): Refusal | null {
  const { at } = scope;
  switch (type) {
    case "RangeVar":
      return checkRelation(fields, scope);
    case "FuncCall":
      return checkFunction(stringsOf(fields.funcname), at);
    case "A_Expr":
      return checkOperator(fields, at);
    case "SubLink":
      return fields.operName === undefined ? null : checkOperatorName(stringsOf(fields.operName), at);
    case "TypeName":
      return checkType(stringsOf(fields.names), at);
    case "A_Indirection":
      return (fields.indirection as readonly Fields[]).some((step) => "A_Indices" in step === false)
        ? syntax("A_Indirection.String", at)
        : null;
    default:
      return null;
  }
}

function checkRelation({ catalogname, schemaname, relname }: Fields, { tables, ctes, at }: NodeScope): Refusal | null {
  const name = [catalogname, schemaname, relname].filter((part) => part !== undefined).join(".");
  const expected = [...tables, ...ctes, ...apiViews.map((view) => `api.${view}`)];
  return expected.includes(name) ? null : { code: "refused-relation", at, data: { name, expected } };
}

function checkFunction(names: readonly string[], at: number | null): Refusal | null {
  const name = withoutCatalog(names).join(".");
  const expected = [...apiFunctions.map((known) => `api.${known}`), ...allowedFunctions];
  return expected.includes(name) ? null : { code: "refused-function", at, data: { name: names.join("."), expected } };
}

function checkOperator({ kind, name }: Fields, at: number | null): Refusal | null {
  if (!allowedExpressions.has(String(kind)))
    return { code: "refused-operator", at, data: { name: "SIMILAR TO", expected: [...allowedOperators] } };
  return String(kind).startsWith("AEXPR_OP") ? checkOperatorName(stringsOf(name), at) : null;
}

function checkOperatorName(names: readonly string[], at: number | null): Refusal | null {
  const name = names.join(".");
  return allowedOperators.has(name) ? null : { code: "refused-operator", at, data: { name, expected: [...allowedOperators] } };
}

function checkType(names: readonly string[], at: number | null): Refusal | null {
  const name = withoutCatalog(names).join(".");
  return allowedTypes.has(name) ? null : { code: "refused-type", at, data: { name: names.join("."), expected: [...allowedTypes] } };
}

// The grammar itself qualifies functions and types of SQL's own syntax, such as EXTRACT and bigint.
function withoutCatalog(names: readonly string[]): readonly string[] {
  return names[0] === "pg_catalog" ? names.slice(1) : names;
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
