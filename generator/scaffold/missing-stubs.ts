import { join } from "node:path";
import type { Catalog } from "../catalog/catalog.ts";
import { buildModel } from "../model/build-model.ts";
import type { Handler } from "../model/model.ts";
import { kebabCase } from "../model/names.ts";
import { readText } from "../output/read-output.ts";

/** A resolver that does not exist yet. */
export interface MissingStub {
  readonly path: string;
  readonly handler: Handler;
}

/** The path of a handler's resolver. */
export function resolverPath(handler: Pick<Handler, "id" | "domain">): string {
  return `runtime/api/${handler.domain}/${kebabCase(handler.id)}.ts`;
}

/** The live handlers whose file does not exist. */
export async function missingStubs(root: string, catalog: Catalog): Promise<MissingStub[]> {
  const live = buildModel(catalog, new Map()).handlers.filter((handler) => handler.status === "live");
  const stubs = live.map((handler) => ({ path: resolverPath(handler), handler }));
  const texts = await Promise.all(stubs.map(({ path }) => readText(join(root, path))));
  return stubs.filter((_stub, index) => texts[index] === null);
}
