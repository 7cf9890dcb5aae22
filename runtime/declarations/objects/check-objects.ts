import type { DeclaredField, DeclaredObject } from "../added-protocol.ts";
import type { AddedProtocolFile } from "../added-protocol-file.ts";
import type { Checked } from "../checks/declaration.ts";
import { type Diagnostic, diagnostic } from "../diagnostics.ts";
import { derivedSource } from "../result-columns.ts";
import type { YamlSource } from "../yaml/yaml-source.ts";
import { scalarTypes } from "./field-definition.ts";
import { isScalarType, parseFieldType } from "./field-type.ts";

type Fields = AddedProtocolFile["objects"][string]["fields"];

/** Checks the objects of an added protocol; `catalog` lists the names of the catalog's objects. */
export function checkObjects(
  source: YamlSource,
  objects: AddedProtocolFile["objects"],
  catalog: readonly string[],
): Checked<Record<string, DeclaredObject>> {
  const names = [...Object.keys(objects), ...catalog];
  const value = Object.entries(objects).map(([name, { description, fields }]): [string, DeclaredObject] => [
    name,
    { description, fields: Object.entries(fields).map(([field, definition]) => fieldOf(field, definition)) },
  ]);
  const diagnostics = Object.entries(objects).flatMap(([name, { fields }]) => [
    ...(catalog.includes(name) ? [reservedObject(source, name)] : []),
    ...Object.keys(fields).flatMap((field) => checkField(source, [name, field], fields, names)),
    ...(containsItself(name, objects) ? [diagnostic("recursive-object", source.locationOfKey(["objects", name]), { name })] : []),
  ]);
  return { value: Object.fromEntries(value), diagnostics };
}

const fieldOf = (name: string, { type, description, values, example }: Fields[string]): DeclaredField => {
  const { name: typeName, list, nullable } = parseFieldType(type);
  const isScalar = isScalarType(typeName);
  const named = { name, format: isScalar ? typeName : null, object: isScalar ? null : typeName };
  return { ...named, list, nullable, description, values: values ?? null, example };
};

const reservedObject = (source: YamlSource, name: string): Diagnostic =>
  diagnostic("reserved-name", source.locationOfKey(["objects", name]), {
    name,
    reason: "is an object of the catalog",
    expected: "another name",
  });

function checkField(
  source: YamlSource,
  [object, field]: readonly [string, string],
  fields: Fields,
  objects: readonly string[],
): Diagnostic[] {
  const path = ["objects", object, "fields", field];
  const { name } = parseFieldType(fields[field]?.type ?? "");
  const derivedFrom = derivedSource(field);
  const missing = derivedFrom === null || Object.hasOwn(fields, derivedFrom) ? [] : [derivedFrom];
  return [
    ...(isScalarType(name) || objects.includes(name)
      ? []
      : [diagnostic("unknown-type", source.locationOf([...path, "type"]), { name, expected: [...scalarTypes, ...objects] })]),
    ...missing.map((expected) => diagnostic("underived-field", source.locationOfKey(path), { name: field, expected })),
  ];
}

function containsItself(name: string, objects: AddedProtocolFile["objects"], from = name, seen = new Set<string>()): boolean {
  return Object.values(objects[from]?.fields ?? {}).some(({ type }) => {
    const inner = parseFieldType(type).name;
    if (inner === name) return true;
    if (seen.has(inner)) return false;
    return containsItself(name, objects, inner, seen.add(inner));
  });
}
