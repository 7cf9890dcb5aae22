import { communityObjects } from "../../../generated/community-items.gen.ts";
import type { Queryable } from "../../database/database.ts";
import type { AddedProtocol } from "../../declarations/added-protocol.ts";
import { type Diagnostic, diagnostic } from "../../declarations/diagnostics.ts";
import type { lendingColumns } from "../../declarations/lending-columns.ts";
import type { ItemField } from "../../declarations/objects/item-field.ts";
import type { OperationQuery } from "../../declarations/protocol.ts";
import { locateCharacter, locateColumn, locateStatement } from "../../declarations/sql/locate.ts";
import { type QueryProblem, queryProblems } from "../../domains/community/queries/query-problems.ts";
import { schemaOf } from "../../domains/community/relations.ts";

/** The formats of lending columns. `event` and `version` have none: their values are shown as text, whatever their type. */
const lendingFormats: Readonly<Record<Exclude<(typeof lendingColumns)[number], "event" | "version">, string>> = {
  log_offset: "integer",
  protocol_address: "address",
  lp_token_address: "address",
  lp_token_amount: "bigint",
  lp_underlying_address: "address",
  exchange_rate: "number",
  token_address_in: "address",
  token_amount_in: "bigint",
  token_address_out: "address",
  token_amount_out: "bigint",
  borrow_rate_mode: "integer",
  borrow_rate: "number",
  on_behalf_of: "address",
  liquidator: "address",
  user: "address",
};
const lendingFields = Object.entries(lendingFormats).map(
  ([name, format]): ItemField => ({ name, format, object: null, list: false, nullable: true }),
);

/** A protocol's statements by name: one for each operation, and `lending` for its lending events. */
export const queriesOf = ({ protocol: { operations, lending } }: AddedProtocol): readonly (readonly [string, OperationQuery])[] => [
  ...Object.entries(operations),
  ...(lending === null ? [] : [["lending", lending] as const]),
];

/** Plans one of a protocol's statements, and compares its column types with the response's fields. The tables must exist. */
export async function diagnoseQuery(
  database: Pick<Queryable, "query">,
  added: AddedProtocol,
  name: string,
  query: OperationQuery,
): Promise<Diagnostic[]> {
  const item = added.endpoints[name]?.item ?? "";
  const fields = query === added.protocol.lending ? lendingFields : (added.objects[item]?.fields ?? communityObjects[item] ?? []);
  return (await queryProblems(database, query, fields)).map((problem) => diagnosticOf(added, query, problem));
}

const diagnosticOf = ({ protocol, sources }: AddedProtocol, query: OperationQuery, problem: QueryProblem): Diagnostic => {
  const source = sources.get(query.file) ?? { path: query.file, text: "" };
  if (problem.kind === "type") {
    const { column: name, found, expected } = problem;
    return diagnostic("column-type", locateColumn(source, name), { name, found, expected });
  }
  const { character, reason } = problem;
  const compiled = { text: query.text, schema: schemaOf(protocol.id) };
  const location = character === null ? locateStatement(source) : locateCharacter(source, compiled, character);
  return diagnostic("unplannable-sql", location, { problem: reason });
};
