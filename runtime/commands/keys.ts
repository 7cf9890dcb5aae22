import { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import type { OwnKeyLimits } from "../config/key-limits.ts";
import { createKeys, type Keys, type LimitChanges, type ListedKey } from "../http/keys.ts";
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

/** The options of `ashlar keys create`. */
export interface CreateOptions {
  readonly label: string;
  readonly credits?: number;
  readonly limit?: LimitChanges;
}

/** The options of `ashlar keys update`. */
export interface UpdateOptions {
  readonly label?: string;
  readonly credits?: number | "unlimited";
  readonly limit?: LimitChanges;
}

/** A new key has the configured limits already. */
const ownLimits = (limits: LimitChanges): OwnKeyLimits =>
  Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== "default"));

/** `ashlar keys create`: creates a key and prints it. */
export const createKey = (config: Config, { label, credits, limit = {} }: CreateOptions): Promise<void> =>
  withKeys(config, async (keys) => {
    const limits = ownLimits(limit);
    const { id, key } = await keys.create({ label, creditLimitHundredths: credits === undefined ? undefined : credits * 100, limits });
    print(`Key ${id} (${label}): ${key}`);
    print("Save it now: only its hash is stored, and it is not shown again.");
  });

/** `ashlar keys update`: changes a key; servers use the changes within 5 seconds. False if there is no active key with the id. */
export async function updateKey(config: Config, id: number, { label, credits, limit }: UpdateOptions): Promise<boolean> {
  let updated = false;
  await withKeys(config, async (keys) => {
    const creditLimitHundredths = typeof credits === "number" ? credits * 100 : credits;
    updated = await keys.update(id, { label, creditLimitHundredths, limits: limit });
  });
  if (updated) print(`Key ${id} is updated.`);
  return updated;
}

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
    ...Object.entries(key.limits).map(([name, limit]) => `${name}=${limit}`),
  ].join("  ");
