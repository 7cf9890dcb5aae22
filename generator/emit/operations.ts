import type { CsvColumn, Model, Operation } from "../model/model.ts";
import { camelCase, compareText } from "../model/names.ts";
import { compileTemplate, listLiteral, literal, objectLiteral } from "./template.ts";

interface OperationsView {
  readonly styles: string;
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
  readonly operations: readonly { readonly id: string; readonly entries: readonly { readonly name: string; readonly value: string }[] }[];
}

const renderOperations = compileTemplate<OperationsView>("operations");

/** Emits the metadata of each endpoint that the server needs: cost, pagination style, CSV columns. */
export function emitOperations(model: Model): string {
  const tables = new Map(model.operations.map((operation) => [tableName(operation), operation.columns]));
  return renderOperations({
    styles: Object.keys(model.service.pagination).sort(compareText).map(literal).join(" | "),
    tables: [...tables]
      .sort(([left], [right]) => compareText(left, right))
      .map(([name, columns]) => ({ name, columns: columns.map(columnLiteral) })),
    operations: model.operations.map((operation) => ({ id: operation.id, entries: entriesOf(operation) })),
  });
}

/** The name of an operation's column table. Operations with the same response share one table, because columns are derived from the response. */
const tableName = ({ response, list }: Operation): string =>
  `${camelCase(response.charAt(0).toLowerCase() + response.slice(1))}${list ? "List" : ""}Columns`;

function columnLiteral({ header, path, from, kind }: CsvColumn): string {
  return objectLiteral({ header: literal(header), path: listLiteral(path), from: literal(from), kind: literal(kind) });
}

function entriesOf(operation: Operation): { name: string; value: string }[] {
  const { id, handler, domain, row, path, protocol, status, mode, style, sizes, response, list, rows, cost, networks } = operation;
  const plain = { id, handler, domain, row, class: operation.class, path, protocol, status, mode, style, sizes, response, list, rows };
  return [
    ...Object.entries(plain).map(([name, value]) => ({ name, value: literal(value) })),
    { name: "cost", value: cost === null ? "null" : objectLiteral({ hundredths: literal(cost.hundredths), per: literal(cost.per) }) },
    { name: "networks", value: literal(networks) },
    { name: "csv", value: tableName(operation) },
  ];
}
