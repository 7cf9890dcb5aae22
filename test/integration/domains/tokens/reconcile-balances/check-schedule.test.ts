import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Sql } from "../../../../../runtime/database/sql.ts";
import { createCheckState } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/check-state.ts";
import { createSweepJob } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/checks/check-jobs.ts";
import {
  dueTokens,
  expediteChecks,
  scheduleChecks,
} from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/checks/check-schedule.ts";
import { defaultReconciliationSettings } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/settings.ts";
import type { JobContext } from "../../../../../runtime/jobs/job.ts";
import { type Address, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase?.drop());
beforeEach(() => testDatabase.database.query("TRUNCATE token_checks, token_requests, blocks"));

const tokenOf = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`;
const bytesOf = (token: Address) => Buffer.from(token.slice(2), "hex");
const now = new Date(Date.UTC(2026, 0, 1));
const waits = { first: 120, max: 86_400, maxRequested: 3_600 };
/** Inserts tokens 1 to 5,000, none of which was ever compared, as after an upgrade. */
const insertBacklog = () =>
  testDatabase.database.query(
    "INSERT INTO token_checks (chain_id, token, standard) SELECT 1, decode(lpad(to_hex(n), 40, '0'), 'hex'), 1 FROM generate_series(1, 5000) n",
  );
const request = (token: Address) =>
  testDatabase.database.query("INSERT INTO token_requests (chain_id, token, asked_at) VALUES (1, $1, $2)", [bytesOf(token), now]);
const due = async (limit: number, at = now) =>
  (await dueTokens(testDatabase.database, 1, at, [], zeroAddress, limit)).tokens.map(({ token }) => token);

describe("the check schedule", () => {
  it("gives expedited, requested and other tokens a share each, regardless of the backlog", async () => {
    await insertBacklog();
    await expediteChecks(testDatabase.database, 1, [tokenOf(4_998), tokenOf(4_999)], now, 60);
    await request(tokenOf(5_000));
    expect(await due(22)).toEqual(expect.arrayContaining([tokenOf(4_998), tokenOf(4_999), tokenOf(5_000), tokenOf(1)]));
    expect(await due(22)).toHaveLength(22);
    expect(new Set(await due(22)).size).toBe(22);
  });

  it("guarantees the share of each kind even if other kinds exceed their shares", async () => {
    await insertBacklog();
    const numbers = Array.from({ length: 1_000 }, (_, number) => number);
    await expediteChecks(
      testDatabase.database,
      1,
      numbers.map((number) => tokenOf(3_000 + number)),
      now,
      60,
    );
    for (const number of numbers.slice(0, 50)) await request(tokenOf(4_500 + number));
    const dueNumbers = (await due(21)).map((token) => Number(token));
    expect(dueNumbers.filter((number) => number >= 3_000 && number < 4_000)).toHaveLength(7);
    expect(dueNumbers.filter((number) => number >= 4_500 && number < 4_550)).toHaveLength(7);
    expect(dueNumbers.filter((number) => number < 3_000)).toHaveLength(7);
  });

  it("makes an expedited token due no earlier than a minute after its last comparison, and then at the scheduled time", async () => {
    await insertBacklog();
    await scheduleChecks(testDatabase.database, 1, [{ token: tokenOf(4_000), agrees: true, isConclusive: true }], waits, now);
    await expediteChecks(testDatabase.database, 1, [tokenOf(4_000)], new Date(now.getTime() + 5_000), 60);
    await expediteChecks(testDatabase.database, 1, [tokenOf(4_000)], new Date(now.getTime() + 10_000), 60);
    expect(await due(22, new Date(now.getTime() + 59_000))).not.toContain(tokenOf(4_000));
    expect(await due(22, new Date(now.getTime() + 60_000))).toContain(tokenOf(4_000));
    await scheduleChecks(
      testDatabase.database,
      1,
      [{ token: tokenOf(4_000), agrees: true, isConclusive: true }],
      waits,
      new Date(now.getTime() + 60_000),
    );
    expect(await due(22, new Date(now.getTime() + 61_000))).not.toContain(tokenOf(4_000));
  });

  it("reaches every requested token within three passes over 12,000 tokens", async () => {
    await testDatabase.database.query(
      `INSERT INTO token_requests (chain_id, token, asked_at) SELECT 1, decode(lpad(to_hex(n), 40, '0'), 'hex'), $1 FROM generate_series(1, 12000) n`,
      [now],
    );
    await testDatabase.database.query("INSERT INTO token_checks (chain_id, token, standard) VALUES (1, $1, 1)", [bytesOf(tokenOf(12_000))]);
    let after: Address = zeroAddress;
    const compared: Address[] = [];
    for (let pass = 0; pass < 3; pass += 1) {
      const { tokens, requestedUpTo } = await dueTokens(testDatabase.database, 1, now, [], after, 22);
      compared.push(...tokens.map(({ token }) => token));
      after = requestedUpTo;
    }
    expect(compared).toContain(tokenOf(12_000));
    expect(after).toBe(zeroAddress);
  });
});

describe("the comparison of a token", () => {
  const waitOf = async (token: Address) =>
    (
      await testDatabase.database.query<{ wait_seconds: number }>("SELECT wait_seconds FROM token_checks WHERE token = $1", [
        bytesOf(token),
      ])
    )[0]?.wait_seconds;

  it("doubles the wait after a conclusive agreement, keeps it after an inconclusive one and resets it after a difference", async () => {
    await insertBacklog();
    const storedWaits: number[] = [];
    for (const [agrees, isConclusive] of [
      [true, false],
      [true, true],
      [true, false],
      [true, true],
      [false, true],
    ] as const) {
      await scheduleChecks(testDatabase.database, 1, [{ token: tokenOf(1), agrees, isConclusive }], waits, now);
      storedWaits.push((await waitOf(tokenOf(1))) ?? 0);
    }
    // 120, doubled, unchanged, doubled, reset.
    expect(storedWaits).toEqual([120, 240, 240, 480, 120]);
  });

  it("is not recorded if the node does not have the indexed block", async () => {
    await insertBacklog();
    const hash = `0x${"a".repeat(64)}` as const;
    const respond = async (calls: readonly unknown[]) => calls.map(() => ({ ok: true, data: `0x${"5".padStart(64, "0")}` }));
    const context = {
      chainId: 1,
      database: {
        query: (statement: string | Sql, parameters: readonly unknown[]) =>
          typeof statement === "string" && statement.startsWith("SELECT number, hash FROM blocks")
            ? Promise.resolve([{ number: 9, hash }])
            : testDatabase.database.query(statement, parameters),
      },
      clock: () => now,
      multicall: respond,
      source: { runCalls: respond, hashesOf: async () => [`0x${"b".repeat(64)}`], capabilities: {} },
    } as unknown as JobContext;
    await createSweepJob(defaultReconciliationSettings, createCheckState(defaultReconciliationSettings)).run(context);
    expect(await testDatabase.database.query("SELECT 1 FROM token_checks WHERE looked_at IS NOT NULL")).toEqual([]);
  });
});
