import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newKey } from "../http/keys.ts";
import { CommandError } from "./command-error.ts";

const keyForm = /^ckey_[a-f0-9]{27}$/;

/** The demo's key: ASHLAR_API_KEY, else the one kept in the data folder, else a new one that is kept there, readable by its owner alone. @throws {CommandError} */
export function demoKey(dataDirectory: string, fromEnvironment: string | undefined): string {
  if (fromEnvironment !== undefined && fromEnvironment !== "") {
    if (!keyForm.test(fromEnvironment))
      throw new CommandError("Invalid value for ASHLAR_API_KEY: expected a key, which is ckey_ and 27 lower-case hexadecimal digits.");
    return fromEnvironment;
  }
  const file = join(dataDirectory, "demo-key");
  const kept = readKept(file);
  if (keyForm.test(kept)) return kept;
  const key = newKey();
  mkdirSync(dataDirectory, { recursive: true });
  writeFileSync(file, key, { mode: 0o600 });
  return key;
}

function readKept(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}
