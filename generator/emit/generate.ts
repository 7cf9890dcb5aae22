import type { Catalog } from "../catalog/catalog.ts";
import { buildModel } from "../model/build-model.ts";
import type { Model } from "../model/model.ts";
import { bundledFiles } from "./bundle.ts";
import { emitCatalogSchema } from "./catalog-schema.ts";
import { emitClient } from "./client.ts";
import { emitCommunity } from "./community.ts";
import { emitCommunityItems } from "./community-items.ts";
import { emitHandlers } from "./handlers.ts";
import { emitManifest, manifestPath } from "./manifest.ts";
import { emitOpenApiJson, emitOpenApiYaml } from "./openapi/document.ts";
import { emitOperations } from "./operations.ts";
import { emitProtocolSchema } from "./protocol-schema.ts";
import { emitReference } from "./reference.ts";
import { emitRequests } from "./requests.ts";
import { emitResponses } from "./responses.ts";
import { emitRoutes } from "./routes.ts";
import { emitStoryExamples } from "./story-examples.ts";
import { emitValidators, emitValidatorTypes } from "./validators.ts";

const emitters: Readonly<Record<string, (model: Model) => string>> = {
  "generated/client.gen.ts": emitClient,
  "generated/community.gen.ts": emitCommunity,
  "generated/community-items.gen.ts": emitCommunityItems,
  "generated/handlers.gen.ts": emitHandlers,
  "generated/openapi.json": emitOpenApiJson,
  "generated/openapi.yaml": emitOpenApiYaml,
  "generated/operations.gen.ts": emitOperations,
  "generated/protocol.schema.json": emitProtocolSchema,
  "generated/reference.md": emitReference,
  "generated/requests.gen.ts": emitRequests,
  "generated/responses.gen.ts": emitResponses,
  "generated/routes.gen.ts": emitRoutes,
  "generated/story-examples.gen.ts": emitStoryExamples,
  "generated/validators.gen.d.ts": emitValidatorTypes,
  "generated/validators.gen.js": emitValidators,
  "spec/catalog.schema.json": emitCatalogSchema,
};

/**
 * Generates every file of a catalog, as a map from path to text; deterministic and without I/O. `recorded` maps operation ids to the `data` of
 * recorded responses, which the OpenAPI document shows instead of synthetic ones.
 */
export function generate(catalog: Catalog, recorded: ReadonlyMap<string, unknown> = new Map()): Map<string, string> {
  const model = buildModel(catalog, recorded);
  const files = new Map([...bundledFiles, ...Object.entries(emitters).map(([path, emit]) => [path, emit(model)] as const)]);
  return files.set(manifestPath, emitManifest(files, catalog.service.version));
}
