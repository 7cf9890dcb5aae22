import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newKey } from "../http/keys.ts";
import { CommandError } from "./command-error.ts";

const keyPattern = /^ckey_[a-f0-9]{27}$/;

/**
 * The demo's key: ASHLAR_API_KEY, or the key stored in the data directory, or a new one, which is stored there and only readable by its owner.
 * @throws {CommandError} if ASHLAR_API_KEY is not a key.
 */
export function resolveDemoKey(dataDirectory: string, fromEnvironment: string | undefined): string {
  if (fromEnvironment !== undefined && fromEnvironment !== "") {
    if (!keyPattern.test(fromEnvironment))
      throw new CommandError("Invalid value for ASHLAR_API_KEY: expected a key (ckey_ followed by 27 lower-case hex digits).");
    return fromEnvironment;
  }
  const file = join(dataDirectory, "demo-key");
  const stored = readStored(file);
  if (keyPattern.test(stored)) return stored;
  const key = newKey();
  mkdirSync(dataDirectory, { recursive: true });
  writeFileSync(file, key, { mode: 0o600 });
  return key;
}

function readStored(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}
