/**
 * The content of a node's field: a node (an object keyed by its type), a list of nodes, the fields of a fixed-type node, or a plain value that
 * needs no check.
 */
export type FieldRule = "node" | "nodes" | "value" | { readonly type: string };

const alias: FieldRule = { type: "Alias" };
const select: FieldRule = { type: "SelectStmt" };

/**
 * The part of PostgreSQL's grammar that declared SQL may use: each node type's fields, by libpg_query's names. A type or a field that is
 * absent here is refused, such as `intoClause` and `lockingClause` of SELECT, or any statement that writes.
 */
export const grammar: Readonly<Record<string, Readonly<Record<string, FieldRule>>>> = {
  SelectStmt: {
    distinctClause: "nodes",
    targetList: "nodes",
    fromClause: "nodes",
    whereClause: "node",
    groupClause: "nodes",
    groupDistinct: "value",
    havingClause: "node",
    windowClause: "nodes",
    valuesLists: "nodes",
    sortClause: "nodes",
    limitOffset: "node",
    limitCount: "node",
    limitOption: "value",
    withClause: { type: "WithClause" },
    op: "value",
    all: "value",
    larg: select,
    rarg: select,
  },
  WithClause: { ctes: "nodes", location: "value" },
  CommonTableExpr: { ctename: "value", aliascolnames: "nodes", ctematerialized: "value", ctequery: "node", location: "value" },
  ResTarget: { name: "value", val: "node", location: "value" },
  ColumnRef: { fields: "nodes", location: "value" },
  A_Star: {},

  RangeVar: {
    catalogname: "value",
    schemaname: "value",
    relname: "value",
    inh: "value",
    relpersistence: "value",
    alias,
    location: "value",
  },
  RangeSubselect: { lateral: "value", subquery: "node", alias },
  RangeFunction: { lateral: "value", ordinality: "value", functions: "nodes", alias },
  JoinExpr: {
    jointype: "value",
    isNatural: "value",
    larg: "node",
    rarg: "node",
    usingClause: "nodes",
    join_using_alias: alias,
    quals: "node",
    alias,
    rtindex: "value",
  },
  Alias: { aliasname: "value", colnames: "nodes" },

  A_Const: { ival: "value", fval: "value", boolval: "value", sval: "value", bsval: "value", isnull: "value", location: "value" },
  ParamRef: { number: "value", location: "value" },
  A_Expr: {
    kind: "value",
    name: "nodes",
    lexpr: "node",
    rexpr: "node",
    rexpr_list_start: "value",
    rexpr_list_end: "value",
    location: "value",
  },
  BoolExpr: { boolop: "value", args: "nodes", location: "value" },
  NullTest: { arg: "node", nulltesttype: "value", argisrow: "value", location: "value" },
  BooleanTest: { arg: "node", booltesttype: "value", location: "value" },
  CaseExpr: { arg: "node", args: "nodes", defresult: "node", location: "value" },
  CaseWhen: { expr: "node", result: "node", location: "value" },
  CoalesceExpr: { args: "nodes", location: "value" },
  MinMaxExpr: { op: "value", args: "nodes", location: "value" },
  RowExpr: { args: "nodes", row_format: "value", location: "value" },
  A_ArrayExpr: { elements: "nodes", list_start: "value", list_end: "value", location: "value" },
  A_Indirection: { arg: "node", indirection: "nodes" },
  A_Indices: { uidx: "node" },
  SubLink: { subLinkType: "value", testexpr: "node", operName: "nodes", subselect: "node", location: "value" },
  TypeCast: { arg: "node", typeName: { type: "TypeName" }, location: "value" },
  TypeName: { names: "nodes", typmods: "nodes", typemod: "value", arrayBounds: "nodes", location: "value" },
  FuncCall: {
    funcname: "nodes",
    args: "nodes",
    agg_order: "nodes",
    agg_filter: "node",
    over: { type: "WindowDef" },
    agg_within_group: "value",
    agg_star: "value",
    agg_distinct: "value",
    funcformat: "value",
    location: "value",
  },
  WindowDef: {
    name: "value",
    refname: "value",
    partitionClause: "nodes",
    orderClause: "nodes",
    frameOptions: "value",
    startOffset: "node",
    endOffset: "node",
    location: "value",
  },
  SortBy: { node: "node", sortby_dir: "value", sortby_nulls: "value", location: "value" },
  List: { items: "nodes" },
  String: { sval: "value" },
  Integer: { ival: "value" },
  Float: { fval: "value" },
};

const refusedNodes: Readonly<Record<string, string>> = {
  InsertStmt: "INSERT",
  UpdateStmt: "UPDATE",
  DeleteStmt: "DELETE",
  MergeStmt: "MERGE",
  SQLValueFunction: "a function of the session or the clock, such as current_user or current_date",
  RangeTableSample: "TABLESAMPLE",
  RangeTableFunc: "XMLTABLE",
  JsonTable: "JSON_TABLE",
  GroupingSet: "GROUPING SETS, CUBE or ROLLUP",
  CollateClause: "COLLATE",
  NamedArgExpr: "an argument by name",
  SetToDefault: "DEFAULT",
  CurrentOfExpr: "CURRENT OF",
  XmlExpr: "XML",
  XmlSerialize: "XMLSERIALIZE",
  "SelectStmt.intoClause": "SELECT INTO",
  "SelectStmt.lockingClause": "FOR UPDATE or another row lock",
  "WithClause.recursive": "WITH RECURSIVE",
  "CommonTableExpr.search_clause": "SEARCH",
  "CommonTableExpr.cycle_clause": "CYCLE",
  "SortBy.useOp": "ORDER BY … USING",
  "RangeFunction.is_rowsfrom": "ROWS FROM",
  "RangeFunction.coldeflist": "a list of column definitions",
  "FuncCall.func_variadic": "VARIADIC",
  "TypeName.setof": "SETOF",
  "TypeName.pct_type": "%TYPE",
  "A_Indices.is_slice": "an array slice",
  "A_Indirection.String": "a field of an expression, which may be a function call",
};

/** The SQL name of a refused node type or field (`<type>.<field>`). */
export function nameOfRefused(node: string): string {
  return refusedNodes[node] ?? node;
}
