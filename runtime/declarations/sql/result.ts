import type { Fields } from "./parser.ts";

/** A column of a result and the byte where its expression starts. */
export interface ResultColumn {
  readonly name: string;
  readonly byteOffset: number;
}

/** The columns of a SELECT, and the positions of unnamed ones: `*`, and expressions without AS. */
export function resultColumnsOf(select: Fields): { readonly columns: ResultColumn[]; readonly unnamed: number[] } {
  const leftmost = leftmostOf(select);
  const columns: ResultColumn[] = [];
  const unnamed: number[] = [];
  for (const node of (leftmost.targetList ?? []) as readonly Fields[]) {
    const target = node.ResTarget as { name?: string; val?: Fields; location?: number };
    const name = target.name ?? nameOfColumn(target.val ?? {});
    if (name === null) unnamed.push(target.location ?? 0);
    else columns.push({ name, byteOffset: target.location ?? 0 });
  }
  return { columns, unnamed };
}

/** Columns of a UNION are named by its first SELECT. */
function leftmostOf(select: Fields): Fields {
  let found = select;
  while (found.larg !== undefined) found = found.larg as Fields;
  return found;
}

function nameOfColumn({ ColumnRef: column }: Fields): string | null {
  if (column === undefined) return null;
  const last = ((column as Fields).fields as readonly Fields[]).at(-1);
  return (last?.String as { sval?: string } | undefined)?.sval ?? null;
}

interface CommonTable {
  readonly CommonTableExpr: { readonly ctequery: { readonly SelectStmt?: Fields } };
}

/**
 * Returns the clauses that a statement lacks to return one page in a fixed order. The limit may be in a common table expression, so that the
 * rest of the statement is computed only for the page. `numbers` are the parameters' numbers, 0 for an unused one.
 */
export function findPagingProblems(select: Fields, numbers: { readonly limit: number; readonly offset: number }): string[] {
  const isParameter = (node: unknown, number: number): boolean => {
    const found = (node as { ParamRef?: { number?: number } } | undefined)?.ParamRef?.number;
    return number > 0 && found === number;
  };
  const isPage = ({ limitCount, limitOffset, limitOption }: Fields): boolean =>
    isParameter(limitCount, numbers.limit) && isParameter(limitOffset, numbers.offset) && limitOption !== "LIMIT_OPTION_WITH_TIES";
  const { ctes = [] } = (select.withClause ?? {}) as { readonly ctes?: readonly CommonTable[] };
  const queries = ctes.map(({ CommonTableExpr: { ctequery } }) => ctequery.SelectStmt ?? {});
  return [
    ...(select.sortClause === undefined ? ["ORDER BY with columns that no two rows share"] : []),
    ...([select, ...queries].some(isPage) ? [] : ["LIMIT :limit OFFSET :offset"]),
  ];
}
