import { readFileSync } from "node:fs";
import { type Document, isMap, isScalar, LineCounter, type Node, parseDocument } from "yaml";
import { ConfigError } from "./config-error.ts";

export type Settings = Record<string, unknown>;

export const isSettings = (value: unknown): value is Settings => typeof value === "object" && value !== null && !Array.isArray(value);

/** The settings of a file, and where in its text each of them is. */
export interface SettingsFile {
  readonly settings: Settings;
  /** `file:line:column` of a setting's value or name; of what encloses it where the file does not have it. */
  place(path: readonly PropertyKey[], part: "name" | "value"): string;
  /** How a value is written in the file, where it is a plain scalar. */
  source(path: readonly PropertyKey[]): string | null;
}

/** Reads a YAML file of settings; `name` is how messages name it. @throws {ConfigError} */
export function readSettingsFile(file: string, name: string): SettingsFile {
  const lines = new LineCounter();
  const document = parseDocument(readText(file, name), { lineCounter: lines });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${name}:${line}:${col}`;
  };
  if (document.errors.length > 0)
    throw new ConfigError(document.errors.map((error) => `${at(error.pos[0])} ${error.message.split("\n")[0]}`).join("\n"));
  const settings = toSettings(document, name);
  return {
    settings,
    place: (path, part) => at(offsetOf(document, path, part)),
    source: (path) => {
      const node = document.getIn(path, true);
      return isScalar(node) ? (node.source ?? null) : null;
    },
  };
}

function toSettings(document: Document, name: string): Settings {
  let value: unknown;
  try {
    value = document.toJS() ?? {};
  } catch (error) {
    // Aliases without an anchor, or too many of them, are found only now.
    throw new ConfigError(`${name}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isSettings(value)) throw new ConfigError(`${name}: a map of settings is expected.`);
  return value;
}

function offsetOf(document: Document, path: readonly PropertyKey[], part: "name" | "value"): number {
  if (path.length === 0) return 0;
  const node = document.getIn(path, true) as Node | undefined;
  const parent = document.getIn(path.slice(0, -1), true);
  const pair = isMap(parent) ? parent.items.find(({ key }) => isScalar(key) && key.value === path.at(-1)) : undefined;
  // A map or a list is found by its name: its first line may be the next one.
  const found = pair !== undefined && (part === "name" || !isScalar(node)) ? (pair.key as Node) : node;
  return found?.range?.[0] ?? offsetOf(document, path.slice(0, -1), "value");
}

function readText(file: string, name: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new ConfigError(`${name} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown reason"}).`);
  }
}
