import type { DeclaredEndpoint } from "../added-protocol.ts";
import type { AddedProtocolFile } from "../added-protocol-file.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import type { ItemField } from "../objects/item-field.ts";
import { queryParametersOf, type RequestParameter } from "../request-parameters.ts";
import { requiredColumns } from "../result-columns.ts";
import type { YamlSource } from "../yaml/yaml-source.ts";
import type { Checked } from "./declaration.ts";
import type { QueryShape } from "./sql-file.ts";

/** A template operation. */
export interface TemplateEndpoint {
  readonly item: string;
  readonly parameters: readonly RequestParameter[];
}

interface Scope {
  readonly template: ReadonlyMap<string, TemplateEndpoint>;
  /** The fields of all objects, by name. */
  readonly objects: Readonly<Record<string, readonly ItemField[]>>;
}

interface CheckedEndpoints extends Checked<Record<string, DeclaredEndpoint>> {
  /** The shapes that the operations' SQL is checked against. */
  readonly shapes: ReadonlyMap<string, QueryShape>;
}

type Operations = AddedProtocolFile["operations"];

/** Checks an added protocol's operations, except for their SQL. The template defines the item and parameters of its operations. */
export function checkAddedOperations(
  source: YamlSource,
  { operations }: { readonly operations: Operations },
  scope: Scope,
): CheckedEndpoints {
  const checked = Object.entries(operations).map(([name, operation]) => ({ name, ...checkOperation(source, name, operation, scope) }));
  const valid = checked.flatMap(({ name, value }) => (value === null ? [] : [[name, value] as const]));
  // An operation that is not in the template and has no item has no shape: its SQL check reports it, with the template's names.
  const shapes = new Map([...scope.template].map(([name, endpoint]) => [name, shapeOf(endpoint, scope)]));
  for (const [name, endpoint] of valid) shapes.set(name, shapeOf(endpoint, scope));
  return { value: Object.fromEntries(valid), shapes, diagnostics: checked.flatMap(({ diagnostics }) => diagnostics) };
}

function checkOperation(
  source: YamlSource,
  name: string,
  operation: Operations[string],
  { template, objects }: Scope,
): Checked<DeclaredEndpoint | null> {
  const { summary = null, notes = null, item, parameters, cost } = operation;
  const ownProperties = { summary, notes, cost: cost === undefined ? null : { hundredths: Math.round(cost.credits * 100), per: cost.per } };
  const templateEndpoint = template.get(name);
  if (templateEndpoint !== undefined) {
    const surplus = (["item", "parameters"] as const).filter((key) => operation[key] !== undefined);
    const diagnostics = surplus.map((key) =>
      diagnostic("template-operation", source.locationOfKey(["operations", name, key]), { key, operation: name }),
    );
    return { value: { ...ownProperties, ...templateEndpoint }, diagnostics };
  }
  if (item === undefined) return { value: null, diagnostics: [] };
  const diagnostics: Diagnostic[] = [];
  if (!Object.hasOwn(objects, item))
    diagnostics.push(
      diagnostic("unknown-item", source.locationOf(["operations", name, "item"]), { name: item, expected: Object.keys(objects) }),
    );
  if (summary === null)
    diagnostics.push(
      diagnostic("missing-key", source.locationOfKey(["operations", name]), { key: "summary", expected: "the title of the endpoint" }),
    );
  return { value: { ...ownProperties, item, parameters: [...new Set(parameters ?? [])] }, diagnostics };
}

const shapeOf = ({ item, parameters }: TemplateEndpoint, { objects }: Scope): QueryShape => {
  const columnsOf = (object: string): string[][] => {
    const fields = objects[object];
    return fields === undefined ? [] : [requiredColumns(fields.map(({ name }) => name))];
  };
  const [columns = null] = columnsOf(item);
  const elements = (objects[item] ?? []).flatMap(({ object }) => (object === null ? [] : columnsOf(object)));
  return { parameters: queryParametersOf(parameters), columns, elements };
};
