import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "../database/database.ts";
import { createKeys, generateKey } from "../http/keys.ts";
import { CommandError } from "./command-error.ts";

const keyPattern = /^ckey_[a-f0-9]{27}$/;

/**
 * The demo's key: ASHLAR_API_KEY, or the key stored in the data directory, or a new one, stored there and readable only by its owner.
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
  const key = generateKey();
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

/** How long the demo's key remains valid after the process is killed, and how often its expiry is extended. */
const leaseMilliseconds = 120_000;
const renewalMilliseconds = 30_000;

/** Keeps the demo's key valid while this process runs; the returned function revokes it. */
export async function holdDemoKey(database: Pick<Database, "query">, key: string): Promise<() => Promise<void>> {
  const keys = createKeys(database);
  const { id } = await keys.ensure(key, "demo");
  const renew = async (): Promise<void> => void (await keys.update(id, { expiresAt: new Date(Date.now() + leaseMilliseconds) }));
  await renew();
  // If a renewal fails, others follow before the key expires.
  const timer = setInterval(() => void renew().catch(() => undefined), renewalMilliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await keys.revoke(id);
  };
}
