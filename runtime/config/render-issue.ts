import type { z } from "zod";
import { knownSettings, nearestName } from "./known-settings.ts";
import type { SettingsFile } from "./settings-file.ts";

/** Where settings come from that are checked together. */
export interface SettingsOrigin {
  /** What messages name in place of a file that there is none of. */
  readonly name: string;
  readonly file: SettingsFile | null;
  /** Settings of the environment and the command line, by their place, as in `chains.0.rpc`. */
  readonly elsewhere: ReadonlyMap<string, string>;
  /** The place in the file of the only chain that is used, where the command line picks one. */
  readonly pickedChain: number | null;
}

/** An issue of the configuration's schema as lines that name the place, the setting, and what is accepted. */
export function renderIssue(issue: z.core.$ZodIssue, origin: SettingsOrigin): string[] {
  if (issue.code !== "unrecognized_keys")
    return [`${placeOf(issue.path, issue.code === "invalid_key" ? "name" : "value", origin)}: ${messageOf(issue, origin)}`];
  const known = knownSettings(issue.path);
  return issue.keys.map((key) => {
    const nearest = nearestName(key, known);
    const advice = nearest === null ? `expected one of ${known.join(", ")}.` : `did you mean ${nearest}?`;
    return `${placeOf([...issue.path, key], "name", origin)}: Unknown setting; ${advice}`;
  });
}

function placeOf(path: readonly PropertyKey[], part: "name" | "value", origin: SettingsOrigin): string {
  const elsewhere = origin.elsewhere.get(path.join("."));
  if (elsewhere !== undefined) return elsewhere;
  const own = inFile(path, origin);
  const setting = own.length === 0 ? "the configuration" : own.join(".");
  return origin.file === null ? `${origin.name}: ${setting}` : `${origin.file.place(own, part)} ${setting}`;
}

function messageOf(issue: z.core.$ZodIssue, origin: SettingsOrigin): string {
  const isKey = issue.code === "invalid_key";
  const source = origin.elsewhere.has(issue.path.join("."))
    ? null
    : (origin.file?.[isKey ? "keySource" : "source"](inFile(issue.path, origin)) ?? null);
  // The core schema of YAML 1.2 (10.3.2) reads 0x and hex digits as a number.
  if (source !== null && /^0x[0-9a-f]{32,}$/i.test(source)) return `An address without quotes is a number in YAML; quote it: "${source}"`;
  return isKey ? issue.issues.map(({ message }) => message).join("; ") : issue.message;
}

const inFile = (path: readonly PropertyKey[], { pickedChain }: SettingsOrigin): readonly PropertyKey[] =>
  path[0] === "chains" && path[1] === 0 && pickedChain !== null ? ["chains", pickedChain, ...path.slice(2)] : path;
