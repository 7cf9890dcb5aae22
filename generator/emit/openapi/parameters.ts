import type { ParameterObject, ReferenceObject, SchemaObject } from "openapi3-ts/oas31";
import type { ParameterType } from "../../catalog/definition.ts";
import type { Model, Operation, Parameter } from "../../model/model.ts";
import { pascalCase } from "../../model/names.ts";

/** Hex digits are case-insensitive, and so is their prefix. */
const hexDigit = "[0-9a-fA-F]";
const prefix = "0[xX]";
const address = `${prefix}${hexDigit}{40}`;
/** One label of a name; the other rules of ENSIP-15 are too long for a pattern. */
const label = `[^\\s.,/\\\\?%@:;"<>]+`;
const addressOrName = `^(?:${address}|${label}(?:\\.${label})+)$`;
/** Base58Check, or Bech32 in upper or lower case but not both (BIP 173, BIP 350). A pattern cannot verify their checksums. */
const base58 = "[1-9A-HJ-NP-Za-km-z]{25,35}";
const witness = "(?:bc|tb|bcrt)1[02-9ac-hj-np-z]{11,85}|(?:BC|TB|BCRT)1[02-9AC-HJ-NP-Z]{11,85}";
const bitcoinAddress = `^(?:${base58}|${witness})$`;
const decimal = "0|[1-9][0-9]*";
const day = "[0-9]{4}-[0-9]{2}-[0-9]{2}";

type FixedType = Exclude<ParameterType, "integer" | "choice" | "currency" | "text" | "addressList" | "topicList" | "textList">;

const fixedSchemas: Record<FixedType, SchemaObject> = {
  chain: { type: "string", pattern: "^[a-z0-9][a-z0-9-]*$" },
  address: { type: "string", pattern: addressOrName },
  bitcoinAddress: { type: "string", pattern: bitcoinAddress },
  hash: { type: "string", pattern: `^${prefix}${hexDigit}{64}$` },
  height: { type: "string", pattern: `^(?:${decimal}|latest)$` },
  block: { type: "string", pattern: `^(?:${decimal}|${prefix}${hexDigit}{1,64}|earliest|latest)$` },
  date: { type: "string", format: "date", pattern: `^${day}$` },
  dateOrLatest: { type: "string", pattern: `^(?:${day}|latest)$` },
  boolean: { type: "boolean" },
  tokenId: { type: "string", pattern: "^(?:0|[1-9][0-9]{0,77})$" },
};

/** The component name of a shared parameter: includes its location, because a path and a query parameter can have the same name. */
const parameterName = (parameter: Parameter): string => `${pascalCase(parameter.in)}${pascalCase(parameter.name)}`;

/** The shared parameters that an operation uses without overrides, by name. */
export function sharedParameters(model: Model): Map<string, ParameterObject> {
  const used = model.operations.flatMap((operation) => operation.parameters).filter((parameter) => !parameter.overridden);
  const entries = used.map((parameter) => [parameterName(parameter), parameterObject(model, parameter)] as const);
  return new Map([...entries].sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The parameters of an operation; one without overrides is a reference to the shared parameter. */
export function operationParameters(model: Model, operation: Operation): (ParameterObject | ReferenceObject)[] {
  return operation.parameters.map((parameter) =>
    parameter.overridden ? parameterObject(model, parameter) : { $ref: `#/components/parameters/${parameterName(parameter)}` },
  );
}

function parameterObject(model: Model, parameter: Parameter): ParameterObject {
  const schema = parameterSchema(model, parameter);
  const isList = schema.type === "array";
  return {
    name: parameter.name,
    in: parameter.in,
    description: parameter.description,
    required: parameter.required,
    // A list is one comma-separated value, both in the path and in the query.
    ...(isList ? { style: parameter.in === "path" ? "simple" : "form", explode: false } : {}),
    schema: parameter.default === null ? schema : { ...schema, default: schemaValue(schema, parameter.default) },
    example: isList ? String(parameter.example).split(",") : schemaValue(schema, parameter.example),
    ...(parameter.story === null ? {} : { "x-story": parameter.story }),
  };
}

/**
 * Returns an example or a default in the type of its schema: a block height can be a number in the catalog, but its schema is a string, because it
 * can also be a keyword such as latest.
 */
function schemaValue(schema: SchemaObject, value: Parameter["example"]): Parameter["example"] {
  return schema.type === "string" ? String(value) : value;
}

function parameterSchema(model: Model, parameter: Parameter): SchemaObject {
  switch (parameter.type) {
    case "integer":
      return {
        type: "integer",
        ...(parameter.minimum === null ? {} : { minimum: parameter.minimum }),
        ...(parameter.maximum === null ? {} : { maximum: parameter.maximum }),
        ...(parameter.sizes === null ? {} : { enum: [...parameter.sizes] }),
      };
    case "choice":
      return { type: "string", enum: [...(parameter.values ?? [])] };
    case "currency":
      return { type: "string", enum: [...model.currencies] };
    case "text":
      return { type: "string", minLength: 1, ...(parameter.maximum === null ? {} : { maxLength: parameter.maximum }) };
    case "addressList":
      return listSchema(parameter, { type: "string", pattern: addressOrName });
    case "topicList":
      return listSchema(parameter, { type: "string", pattern: `^${prefix}${hexDigit}{1,64}$` });
    case "textList":
      return listSchema(parameter, { type: "string", minLength: 1 });
    default:
      return { ...fixedSchemas[parameter.type] };
  }
}

function listSchema({ maxItems }: Parameter, items: SchemaObject): SchemaObject {
  return { type: "array", items, minItems: 1, ...(maxItems === null ? {} : { maxItems }) };
}
