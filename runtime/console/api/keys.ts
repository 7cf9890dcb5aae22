import { z } from "zod";
import { keyLimitFields } from "../../config/key-limits.ts";
import type { Database } from "../../database/database.ts";
import { parseNetwork, parseOrigin } from "../../http/key-access.ts";
import { createKeys, type KeyChange, type Keys } from "../../http/keys.ts";
import { type OperatorAction, recordAction } from "../../operator/actions.ts";
import { ConsoleError, parseWith } from "../errors.ts";
import type { CreatedKey, KeyItem } from "../responses.ts";

const maxCredits = Math.floor(Number.MAX_SAFE_INTEGER / 100);
const creditsText = `an integer from 0 to ${maxCredits}, or null for no limit`;
const credits = z.number(creditsText).int(creditsText).min(0, creditsText).max(maxCredits, creditsText).nullable();
const labelText = "a text of 1 to 200 characters";
const timeText = "a time such as 2027-01-31T12:00:00Z, or null for never";
const listOf = (text: string, isValid: (value: string) => boolean) =>
  z.array(z.string(text).max(300, text).refine(isValid, text)).max(100, "at most 100 values");
const isNetwork = (text: string): boolean => {
  try {
    parseNetwork(text);
    return true;
  } catch {
    return false;
  }
};

const fields = {
  label: z.string(labelText).trim().min(1, labelText).max(200, labelText),
  credits,
  dailyCredits: credits,
  monthlyCredits: credits,
  expiresAt: z.iso.datetime({ offset: true, error: timeText }).nullable(),
  access: z
    .strictObject({
      chains: listOf("the name or id of a chain", (text) => /^[a-z0-9][a-z0-9-]*$/.test(text)),
      origins: listOf("an origin such as https://app.example.com", (text) => parseOrigin(text) === text),
      addresses: listOf("an IP address, or a network such as 10.0.0.0/8", isNetwork),
    })
    .partial(),
  limits: z
    .strictObject({
      concurrentRequests: keyLimitFields.concurrentRequests.or(z.literal("default")),
      databaseSecondsPerMinute: keyLimitFields.databaseSecondsPerMinute.or(z.literal("default")),
      bytesInFlight: keyLimitFields.bytesInFlight.or(z.literal("default")),
    })
    .partial(),
};
/** Fields that are absent are not changed. */
const change = z.strictObject(fields).partial();
const creation = change.required({ label: true });

type Change = z.output<typeof change>;

const hundredthsOf = (value: number | null | undefined): number | "unlimited" | undefined =>
  value === null ? "unlimited" : value === undefined ? undefined : value * 100;

const toKeyChange = ({ label, credits: total, dailyCredits, monthlyCredits, expiresAt, access, limits }: Change): KeyChange => ({
  label,
  creditLimitHundredths: hundredthsOf(total),
  dayQuotaHundredths: hundredthsOf(dailyCredits),
  monthQuotaHundredths: hundredthsOf(monthlyCredits),
  expiresAt: expiresAt === null ? "never" : expiresAt === undefined ? undefined : new Date(expiresAt),
  access:
    access === undefined
      ? undefined
      : (Object.fromEntries(Object.entries(access).filter(([, allowed]) => allowed !== undefined)) as Record<string, string[]>),
  limits: limits as KeyChange["limits"],
});

interface LastUse {
  readonly keyId: number;
  readonly lastUsedAt: Date;
}

const iso = (time: Date | null | undefined): string | null => time?.toISOString() ?? null;
const inCredits = (hundredths: number | null): number | null => (hundredths === null ? null : hundredths / 100);

/** The keys, oldest first. */
export async function listKeys(database: Pick<Database, "query">): Promise<KeyItem[]> {
  const [keys, uses] = await Promise.all([
    createKeys(database).list(),
    // Reads each key's newest day by the primary key.
    database.query<LastUse>(
      `SELECT k.id AS "keyId", u.last_at AS "lastUsedAt" FROM api_keys k CROSS JOIN LATERAL (
         SELECT max(last_at) AS last_at FROM key_requests WHERE key_id = k.id AND day = (SELECT max(day) FROM key_requests WHERE key_id = k.id)) u
       WHERE u.last_at IS NOT NULL`,
      [],
    ),
  ]);
  const lastUses = new Map(uses.map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt]));
  return keys.map((key) => ({
    id: key.id,
    label: key.label,
    createdAt: key.createdAt.toISOString(),
    revokedAt: iso(key.revokedAt),
    expiresAt: iso(key.expiresAt),
    lastUsedAt: iso(lastUses.get(key.id)),
    calls: key.calls,
    usedCredits: key.usedHundredths / 100,
    credits: inCredits(key.creditLimitHundredths),
    dailyCredits: inCredits(key.dayQuotaHundredths),
    monthlyCredits: inCredits(key.monthQuotaHundredths),
    access: key.access,
    limits: key.limits,
  }));
}

/** Runs work that changes keys and records the action, in one transaction, and returns its result. */
const withKeys = <Result>(
  database: Pick<Database, "transaction">,
  actor: string,
  work: (keys: Keys, record: (action: Pick<OperatorAction, "action" | "subject" | "details">) => Promise<void>) => Promise<Result>,
): Promise<Result> => database.transaction((client) => work(createKeys(client), (action) => recordAction(client, { actor, ...action })));

/** Creates a key. @throws {ConsoleError} 400 */
export async function createKey(database: Pick<Database, "transaction">, body: unknown, actor: string): Promise<CreatedKey> {
  const input = parseWith(creation, body);
  return withKeys(database, actor, async (keys, record) => {
    const key = await keys.create({ label: input.label });
    await keys.update(key.id, toKeyChange(input));
    await record({ action: "key.create", subject: `${key.id}`, details: input });
    return key;
  });
}

/** Changes a key; servers apply the change within 5 seconds. @throws {ConsoleError} 400, or 404 if there is no active key with the id. */
export async function updateKey(database: Pick<Database, "transaction">, id: number, body: unknown, actor: string): Promise<void> {
  const input = parseWith(change, body);
  const isFound = await withKeys(database, actor, async (keys, record) => {
    const isUpdated = await keys.update(id, toKeyChange(input));
    if (isUpdated) await record({ action: "key.update", subject: `${id}`, details: input });
    return isUpdated;
  });
  if (!isFound) throw unknownKey(id);
}

/** Revokes a key, which servers stop accepting within 5 seconds. @throws {ConsoleError} 404 if there is no active key with the id. */
export async function revokeKey(database: Pick<Database, "transaction">, id: number, actor: string): Promise<void> {
  const isFound = await withKeys(database, actor, async (keys, record) => {
    const isRevoked = await keys.revoke(id);
    if (isRevoked) await record({ action: "key.revoke", subject: `${id}` });
    return isRevoked;
  });
  if (!isFound) throw unknownKey(id);
}

const unknownKey = (id: number): ConsoleError => new ConsoleError(404, `No active key with the id ${id}.`);
