import { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import type { KeyLimitOverrides } from "../config/key-limits.ts";
import type { KeyAccess } from "../http/key-access.ts";
import { createKeys, type Keys, type LimitChanges, type ListedKey } from "../http/keys.ts";
import { escapeTerminal } from "../lib/terminal-text.ts";
import { type OperatorAction, recordAction } from "../operator/actions.ts";
import { commandActor } from "./actor.ts";
import { requireDatabase } from "./configured-database.ts";
import { openDatabase } from "./open-database.ts";

const print = (line: string): void => void stdout.write(`${escapeTerminal(line)}\n`);

type Recorded = Pick<OperatorAction, "action" | "subject" | "details">;

/** Changes keys in the configured database, and records the changes in the same transaction. */
async function withKeys<Result>(
  config: Config,
  work: (keys: Keys, record: (change: Recorded) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  requireDatabase(config);
  const database = await openDatabase(config);
  try {
    return await database.indexing.transaction((client) =>
      work(createKeys(client), (change) => recordAction(client, { actor: commandActor(), ...change })),
    );
  } finally {
    await database.close();
  }
}

/** The options of `ashlar keys create`. */
export interface CreateOptions {
  readonly label: string;
  readonly credits?: number;
  readonly dailyCredits?: number;
  readonly monthlyCredits?: number;
  readonly expires?: Date;
  readonly allowChain?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly allowAddress?: readonly string[];
  readonly limit?: LimitChanges;
}

/** The options of `ashlar keys update`. */
export interface UpdateOptions {
  readonly label?: string;
  readonly credits?: number | "unlimited";
  readonly dailyCredits?: number | "unlimited";
  readonly monthlyCredits?: number | "unlimited";
  readonly expires?: Date | "never";
  /** An empty list allows everything. */
  readonly allowChain?: readonly string[];
  readonly allowOrigin?: readonly string[];
  readonly allowAddress?: readonly string[];
  readonly limit?: LimitChanges;
}

/** The access rules that the options set. */
const accessOf = ({
  allowChain,
  allowOrigin,
  allowAddress,
}: Pick<UpdateOptions, "allowChain" | "allowOrigin" | "allowAddress">): KeyAccess => ({
  ...(allowChain === undefined ? {} : { chains: allowChain }),
  ...(allowOrigin === undefined ? {} : { origins: allowOrigin }),
  ...(allowAddress === undefined ? {} : { addresses: allowAddress }),
});

/** The command options that concern the key; none of them is a secret. */
const detailsOf = (options: UpdateOptions): Record<string, unknown> => {
  const { label, credits, dailyCredits, monthlyCredits, expires, allowChain, allowOrigin, allowAddress, limit } = options;
  return { label, credits, dailyCredits, monthlyCredits, expires, allowChain, allowOrigin, allowAddress, limit };
};

const toHundredths = (credits: number | undefined): number | undefined => (credits === undefined ? undefined : credits * 100);
const toHundredthsOrUnlimited = (credits: number | "unlimited" | undefined): number | "unlimited" | undefined =>
  credits === "unlimited" ? credits : toHundredths(credits);

/** The limits to store for a new key: `default` is omitted, because a key without a stored limit has the configured one. */
const limitOverrides = (limits: LimitChanges): KeyLimitOverrides =>
  Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== "default"));

/** `ashlar keys create`: creates a key and prints it. */
export async function createKey(config: Config, options: CreateOptions): Promise<void> {
  const { label, credits, dailyCredits, monthlyCredits, expires, limit = {} } = options;
  const { id, key } = await withKeys(config, async (keys, record) => {
    const created = await keys.create({
      label,
      creditLimitHundredths: toHundredths(credits),
      limits: limitOverrides(limit),
      dayQuotaHundredths: toHundredths(dailyCredits),
      monthQuotaHundredths: toHundredths(monthlyCredits),
      expiresAt: expires,
      access: accessOf(options),
    });
    await record({ action: "key.create", subject: `${created.id}`, details: detailsOf(options) });
    return created;
  });
  print(`Key ${id} (${label}): ${key}`);
  print("Save it now: only its hash is stored, and it is not shown again.");
}

/** `ashlar keys update`: changes a key; servers apply the changes within 5 seconds. Returns false if no active key has the id. */
export async function updateKey(config: Config, id: number, options: UpdateOptions): Promise<boolean> {
  const { label, credits, dailyCredits, monthlyCredits, expires, limit } = options;
  const updated = await withKeys(config, async (keys, record) => {
    const found = await keys.update(id, {
      label,
      creditLimitHundredths: toHundredthsOrUnlimited(credits),
      limits: limit,
      dayQuotaHundredths: toHundredthsOrUnlimited(dailyCredits),
      monthQuotaHundredths: toHundredthsOrUnlimited(monthlyCredits),
      expiresAt: expires,
      access: accessOf(options),
    });
    if (found) await record({ action: "key.update", subject: `${id}`, details: detailsOf(options) });
    return found;
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

/** `ashlar keys revoke`: revokes a key, which servers stop accepting within 5 seconds. Returns false if no active key has the id. */
export async function revokeKey(config: Config, id: number): Promise<boolean> {
  const revoked = await withKeys(config, async (keys, record) => {
    const found = await keys.revoke(id);
    if (found) await record({ action: "key.revoke", subject: `${id}` });
    return found;
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
    ...(key.dayQuotaHundredths === null ? [] : [`${key.dayQuotaHundredths / 100} credits per day`]),
    ...(key.monthQuotaHundredths === null ? [] : [`${key.monthQuotaHundredths / 100} credits per month`]),
    ...(key.expiresAt === null ? [] : [`expires ${key.expiresAt.toISOString()}`]),
    ...Object.entries(key.access).map(([rule, allowed]) => `${rule}=${allowed.join(",")}`),
    ...Object.entries(key.limits).map(([name, limit]) => `${name}=${limit}`),
  ].join("  ");
