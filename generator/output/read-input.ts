import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { renderDiagnostic } from "../../runtime/declarations/diagnostics.ts";
import { nearest } from "../../runtime/declarations/nearest.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { loadCatalog, readCatalogFiles } from "../catalog/load.ts";
import { compareText } from "../model/names.ts";
import { readText } from "./read-output.ts";

/** The generator's input, or messages about its problems. */
type Input =
  | { readonly ok: true; readonly catalog: Catalog; readonly recorded: ReadonlyMap<string, unknown> }
  | { readonly ok: false; readonly messages: readonly string[] };

const folder = "spec";
const recordedFolder = `${folder}/examples`;

/** Reads the catalog of a repository and the responses that were recorded for its documentation. */
export async function readInput(root: string): Promise<Input> {
  const { catalog, diagnostics } = loadCatalog(await readCatalogFiles(join(root, folder)));
  if (catalog === null) return { ok: false, messages: diagnostics.map(renderDiagnostic) };
  const ids = new Set([...catalog.operations, ...catalog.communityOperations].map((operation) => operation.id));
  const entries = await readRecorded(root);
  const messages = [...entries].flatMap(([path, text]) => recordedMessages(path, text, ids));
  if (messages.length > 0) return { ok: false, messages };
  return { ok: true, catalog, recorded: new Map([...entries].map(([path, text]) => [idOf(path), dataOf(text)])) };
}

const idOf = (path: string): string => path.slice(recordedFolder.length + 1, -".json".length);

async function readRecorded(root: string): Promise<Map<string, string>> {
  const names = await readdir(join(root, recordedFolder)).catch(() => []);
  const paths = names
    .filter((name) => name.endsWith(".json"))
    .sort(compareText)
    .map((name) => `${recordedFolder}/${name}`);
  return new Map(await Promise.all(paths.map(async (path) => [path, (await readText(join(root, path))) ?? ""] as const)));
}

function recordedMessages(path: string, text: string, ids: ReadonlySet<string>): string[] {
  const id = idOf(path);
  if (!ids.has(id)) {
    const nearestId = nearest(id, [...ids]);
    const suggestion = nearestId === null ? "" : ` (nearest: ${nearestId})`;
    return [`${path}:1:1: Unknown operation ${id}: expected the file name to be an operation id followed by .json${suggestion}`];
  }
  return dataOf(text) === undefined ? [`${path}:1:1: Invalid recorded response: expected a JSON object with data`] : [];
}

/** The `data` of a recorded response; undefined if the text is not a response. */
function dataOf(text: string): unknown {
  try {
    const response: unknown = JSON.parse(text);
    return typeof response === "object" && response !== null && "data" in response ? response.data : undefined;
  } catch {
    return undefined;
  }
}
