import type { z } from "zod";
import { nearestName } from "./nearest-name.ts";
import { renderValue } from "./render-value.ts";
import { describeAccepted, schemaAt, settingNames, valueAt } from "./schema-at.ts";
import type { SettingsFile } from "./settings-file.ts";

/** Where settings that are checked together come from. */
export interface SettingsOrigin {
  /** The file's name in messages, even if it does not exist. */
  readonly name: string;
  readonly file: SettingsFile | null;
  /** The environment variable or command-line option of a setting that is not read from the file, by path: `chains.0.rpc` → `--rpc`. */
  readonly overriddenBy: ReadonlyMap<string, string>;
  /** The index, in the file, of the chain that the command line selects. */
  readonly selectedChainIndex: number | null;
}

/**
 * Renders a schema issue with one line per setting: its location, its name, the invalid value unless it may be a secret, and the accepted values. Messages of
 * the schema complete the sentence "expected ..."; an empty message is replaced with a description of the setting's schema.
 */
export function renderIssue(issue: z.core.$ZodIssue, settings: unknown, origin: SettingsOrigin): string[] {
  if (issue.code === "unrecognized_keys") return issue.keys.map((key) => renderUnknown([...issue.path, key], settings, origin));
  const { prefix, name } = locate(issue.path, issue.code === "invalid_key" ? "key" : "value", origin);
  const quoted = quotedAddress(issue, origin);
  if (quoted !== null) return [`${prefix}Invalid value for ${name}: an address without quotes is a number in YAML; quote it: "${quoted}"`];
  if (issue.code === "invalid_key")
    return [`${prefix}Invalid name ${name}: expected ${issue.issues.map(({ message }) => message).join("; ")}.`];
  const expected = issue.message === "" ? describeAccepted(schemaAt(issue.path, settings)) : issue.message;
  const value = valueAt(settings, issue.path);
  if (value === undefined) return [`${prefix}Missing setting ${name}: expected ${expected}.`];
  return [renderInvalid(issue.path, value, expected, origin)];
}

/** Renders an invalid value of a setting and the accepted values; a value that may be a secret is not quoted. */
export function renderInvalid(path: readonly PropertyKey[], value: unknown, expected: string, origin: SettingsOrigin): string {
  const { prefix, name } = locate(path, "value", origin);
  const shown = renderValue(path, value);
  return `${prefix}Invalid value ${shown === null ? "" : `${shown} `}for ${name}: expected ${expected}.`;
}

function renderUnknown(path: readonly PropertyKey[], settings: unknown, origin: SettingsOrigin): string {
  const known = settingNames(path.slice(0, -1), settings);
  const { prefix, name } = locate(path, "key", origin);
  const nearest = nearestName(String(path.at(-1)), known);
  return `${prefix}Unknown setting ${name}: ${nearest === null ? `expected one of ${known.join(", ")}.` : `did you mean ${nearest}?`}`;
}

/** A setting's name in messages, and its location in the file; a variable or an option only has its name. */
function locate(
  path: readonly PropertyKey[],
  part: "key" | "value",
  origin: SettingsOrigin,
): { readonly prefix: string; readonly name: string } {
  const variableOrOption = origin.overriddenBy.get(path.join("."));
  if (variableOrOption !== undefined) return { prefix: "", name: variableOrOption };
  const filePath = pathInFile(path, origin);
  const location = origin.file === null ? origin.name : origin.file.locate(filePath, part);
  return { prefix: `${location}: `, name: filePath.length === 0 ? "the configuration" : filePath.join(".") };
}

/** The source text of an address that YAML read as a number (core schema of YAML 1.2, section 10.3.2); null for every other value. */
function quotedAddress(issue: z.core.$ZodIssue, origin: SettingsOrigin): string | null {
  if (origin.file === null || origin.overriddenBy.has(issue.path.join("."))) return null;
  const filePath = pathInFile(issue.path, origin);
  const source = issue.code === "invalid_key" ? origin.file.keySource(filePath) : origin.file.source(filePath);
  return source !== null && /^0x[0-9a-f]{32,}$/i.test(source) ? source : null;
}

const pathInFile = (path: readonly PropertyKey[], { selectedChainIndex }: SettingsOrigin): readonly PropertyKey[] =>
  path[0] === "chains" && path[1] === 0 && selectedChainIndex !== null ? ["chains", selectedChainIndex, ...path.slice(2)] : path;
