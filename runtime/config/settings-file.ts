import { readFileSync } from "node:fs";
import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from "yaml";
import { ConfigError } from "./config-error.ts";
import { fileProblem } from "./file-problem.ts";

export type Settings = Record<string, unknown>;

export const isSettings = (value: unknown): value is Settings => typeof value === "object" && value !== null && !Array.isArray(value);

/** A file's settings and their locations in its text. */
export interface SettingsFile {
  readonly settings: Settings;
  /** `file:line:column` of a setting's value or name, or of the enclosing section if the file does not set it. */
  locate(path: readonly PropertyKey[], part: "key" | "value"): string;
  /** The source text of a scalar value; null for other values. */
  source(path: readonly PropertyKey[]): string | null;
  /** The source text of the key that a path ends with. */
  keySource(path: readonly PropertyKey[]): string | null;
}

/** Reads a YAML settings file; `name` is its name in messages. @throws {ConfigError} */
export function readSettingsFile(file: string, name: string): SettingsFile {
  const lines = new LineCounter();
  const document = parseDocument(readText(file, name), { lineCounter: lines, prettyErrors: false });
  const locationOf = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  if (document.errors.length > 0)
    throw new ConfigError(
      document.errors.map((error) => `${locationOf(error.pos[0])}: Invalid YAML: ${error.message.split("\n")[0]}`).join("\n"),
    );
  const settings = toSettings(document, name);
  return {
    settings,
    locate: (path, part) => locationOf(offsetOf(document, path, part)),
    source: (path) => {
      const node = nodeAt(document, path);
      return isScalar(node) ? (node.source ?? null) : null;
    },
    keySource: (path) => {
      const key = pairAt(document, path)?.key;
      return isScalar(key) ? (key.source ?? null) : null;
    },
  };
}

function toSettings(document: Document, name: string): Settings {
  let value: unknown;
  try {
    value = document.toJS() ?? {};
  } catch (error) {
    // Aliases without an anchor, and too many aliases, are only detected by the conversion.
    throw new ConfigError(`${name}: Invalid YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isSettings(value)) throw new ConfigError(`${name}: Invalid configuration: expected a map of settings.`);
  return value;
}

/** Finds a pair by its key as a JavaScript string; a number that is too large to be exact matches by its rounded value. */
function pairAt(document: Document, path: readonly PropertyKey[]): Pair | undefined {
  const parent = nodeAt(document, path.slice(0, -1));
  return isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(path.at(-1))) : undefined;
}

function nodeAt(document: Document, path: readonly PropertyKey[]): Node | undefined {
  if (path.length === 0) return document.contents ?? undefined;
  const parent = nodeAt(document, path.slice(0, -1));
  const found = isSeq(parent) ? parent.items[Number(path.at(-1))] : pairAt(document, path)?.value;
  return isAlias(found) ? found.resolve(document) : isNode(found) ? found : undefined;
}

function offsetOf(document: Document, path: readonly PropertyKey[], part: "key" | "value"): number {
  if (path.length === 0) return 0;
  const node = nodeAt(document, path);
  const pair = pairAt(document, path);
  // A map or a list is located by its key, because its first element may be on the next line.
  const found = pair !== undefined && (part === "key" || !isScalar(node)) ? (pair.key as Node) : node;
  return found?.range?.[0] ?? offsetOf(document, path.slice(0, -1), "value");
}

function readText(file: string, name: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`Cannot read the configuration file ${name}: ${fileProblem(error)}; pass the path of a readable YAML file.`);
  }
}
