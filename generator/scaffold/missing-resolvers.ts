import { join } from "node:path";
import type { Catalog } from "../catalog/catalog.ts";
import { buildModel } from "../model/build-model.ts";
import type { Handler } from "../model/model.ts";
import { kebabCase } from "../model/names.ts";
import { readText } from "../output/read-output.ts";

/** A resolver that does not exist yet. */
export interface MissingResolver {
  readonly path: string;
  readonly handler: Handler;
}

/** The path of a handler's resolver. */
export function resolverPath(handler: Pick<Handler, "id" | "domain">): string {
  return `runtime/api/${handler.domain}/${kebabCase(handler.id)}.ts`;
}

/** The live handlers whose file does not exist. */
export async function findMissingResolvers(root: string, catalog: Catalog): Promise<MissingResolver[]> {
  const live = buildModel(catalog, new Map()).handlers.filter((handler) => handler.status === "live");
  const resolvers = live.map((handler) => ({ path: resolverPath(handler), handler }));
  const texts = await Promise.all(resolvers.map(({ path }) => readText(join(root, path))));
  return resolvers.filter((_resolver, index) => texts[index] === null);
}
