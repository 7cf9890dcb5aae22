import type { Catalog, CatalogOperation } from "../catalog/catalog.ts";
import type { ServiceDefinition } from "../catalog/definition.ts";
import { csvColumns } from "./columns.ts";
import { costOf } from "./costs.ts";
import { errorsOf } from "./errors.ts";
import { exampleDataOf } from "./example-data.ts";
import { objectOf } from "./fields.ts";
import type { Handler, Model, Operation, ResponseObject } from "./model.ts";
import { compareText } from "./names.ts";
import { parametersOf, rulesOf } from "./parameters.ts";
import { segmentsOf } from "./route-order.ts";

/** The currencies of quotes (ISO 4217) if the catalog's currency parameters list none. */
const defaultCurrencies = "USD CAD EUR SGD INR JPY VND CNY KRW RUB TRY NGN ARS AUD CHF GBP".split(" ");

const classOrder = ["A", "pricing", "B", "C"];

/** Builds the model of a checked catalog; `recorded` maps operation ids to the `data` of recorded responses, which replaces synthetic examples. */
export function buildModel(catalog: Catalog, recorded: ReadonlyMap<string, unknown>): Model {
  const objects = new Map(
    [...catalog.objects.values()]
      .map(objectOf)
      .sort(byName)
      .map((object) => [object.name, object]),
  );
  const operations = [...catalog.operations, ...catalog.communityOperations]
    .map((operation) => operationOf(catalog.service, objects, operation, recorded))
    .sort(byClassAndRow);
  const service = { ...catalog.service, errors: errorsOf(catalog.service.errors, operations) };
  return {
    service,
    operations,
    handlers: handlersOf(operations),
    objects,
    currencies: currenciesOf(catalog.service),
    protocols: catalog.protocols,
  };
}

function operationOf(
  service: ServiceDefinition,
  objects: ReadonlyMap<string, ResponseObject>,
  operation: CatalogOperation,
  recorded: ReadonlyMap<string, unknown>,
): Operation {
  const { definition } = operation;
  const parameters = parametersOf(service, operation);
  const list = definition.list ?? false;
  const synthetic = exampleDataOf(objects, definition.response);
  return {
    id: operation.id,
    handler: operation.handler,
    domain: operation.domain,
    row: definition.row ?? null,
    class: definition.class,
    addition: definition.addition ?? false,
    path: definition.path,
    segments: segmentsOf(definition.path),
    summary: definition.summary,
    notes: definition.notes,
    mode: definition.mode,
    status: definition.status,
    cost: costOf(definition.cost),
    networks: definition.networks ?? null,
    style: definition.pagination.style,
    sizes: definition.pagination.sizes ?? null,
    response: definition.response,
    list,
    rows: objects.get(definition.response)?.rows ?? null,
    protocol: operation.protocol,
    parameters,
    sentNames: definition.sentNames ?? false,
    rules: rulesOf(operation, parameters),
    columns: csvColumns(objects, definition.response, list),
    exampleData: recorded.get(operation.id) ?? (list ? [synthetic] : synthetic),
  };
}

/** Groups operations by handler: a handler may serve several protocols, and is live if one of its operations is. */
function handlersOf(operations: readonly Operation[]): Handler[] {
  const groups = new Map<string, Operation[]>();
  for (const operation of operations) groups.set(operation.handler, [...(groups.get(operation.handler) ?? []), operation]);
  return [...groups]
    .flatMap(([id, members]): Handler[] => {
      const [operation] = members;
      if (operation === undefined) return [];
      const status = members.some((member) => member.status === "live") ? "live" : "planned";
      return [{ id, status, domain: operation.domain, operation }];
    })
    .sort((left, right) => compareText(left.id, right.id));
}

function currenciesOf(service: ServiceDefinition): readonly string[] {
  const parameters = [...Object.values(service.queryParameters), ...Object.values(service.pathParameters)];
  const values = parameters.flatMap((parameter) => (parameter.type === "currency" ? (parameter.values ?? []) : []));
  return values.length === 0 ? defaultCurrencies : [...new Set(values)];
}

const byName = (left: ResponseObject, right: ResponseObject): number => compareText(left.name, right.name);

function byClassAndRow(left: Operation, right: Operation): number {
  return (
    classOrder.indexOf(left.class) - classOrder.indexOf(right.class) ||
    (left.row ?? Number.MAX_SAFE_INTEGER) - (right.row ?? Number.MAX_SAFE_INTEGER) ||
    compareText(left.id, right.id)
  );
}
