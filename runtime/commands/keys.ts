import { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import { createKeys, type Keys, type ListedKey } from "../http/keys.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { openDatabase } from "./open-database.ts";
import { requireDatabase } from "./used-database.ts";

const print = (line: string): void => void stdout.write(`${escapeTerminal(line)}\n`);

/** Runs work with the keys of the configured database. */
async function withKeys(config: Config, work: (keys: Keys) => Promise<void>): Promise<void> {
  requireDatabase(config);
  const database = await openDatabase(config);
  try {
    await work(createKeys(database.indexing));
  } finally {
    await database.close();
  }
}

/** `ashlar keys create`: creates a key and prints it. */
export const createKey = (config: Config, label: string, credits: number | undefined): Promise<void> =>
  withKeys(config, async (keys) => {
    const { id, key } = await keys.create({ label, creditLimitHundredths: credits === undefined ? undefined : credits * 100 });
    print(`Key ${id} (${label}): ${key}`);
    print("Save it now: only its hash is stored, and it is not shown again.");
  });

/** `ashlar keys list`: prints all keys and their usage. */
export const listKeys = (config: Config): Promise<void> =>
  withKeys(config, async (keys) => {
    const rows = await keys.list();
    if (rows.length === 0) print("There are no keys; create one with: ashlar keys create --label NAME");
    for (const row of rows) print(renderKey(row));
  });

/** `ashlar keys revoke`: revokes a key, which servers stop accepting within 5 seconds. False if there is no active key with the id. */
export async function revokeKey(config: Config, id: number): Promise<boolean> {
  let revoked = false;
  await withKeys(config, async (keys) => {
    revoked = await keys.revoke(id);
  });
  if (revoked) print(`Key ${id} is revoked.`);
  return revoked;
}

const renderKey = (key: ListedKey): string =>
  [
    `${key.id}`,
    key.label,
    `created ${key.createdAt.toISOString()}`,
    key.revokedAt === null ? "active" : `revoked ${key.revokedAt.toISOString()}`,
    `${key.calls} calls, ${key.usedHundredths / 100} credits${key.creditLimitHundredths === null ? "" : ` of ${key.creditLimitHundredths / 100}`}`,
  ].join("  ");
