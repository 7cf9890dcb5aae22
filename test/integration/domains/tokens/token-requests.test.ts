import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTokenRequests } from "../../../../runtime/domains/tokens/jobs/record-token-requests.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase?.drop());

const tokenOf = (number: number): Address => `0x${number.toString(16).padStart(40, "0")}`;
const stored = () =>
  testDatabase.database.query<{ chain_id: number; token: Address; asked_at: Date }>("SELECT chain_id, token, asked_at FROM token_requests");

describe("the record of token requests", () => {
  it("writes requested tokens in batches, each token at most once per 15 minutes, and never during the request", async () => {
    let [now, queryCount] = [new Date(Date.UTC(2026, 0, 1)), 0];
    const database = {
      query: ((sql: string, parameters?: readonly unknown[]) => {
        queryCount += 1;
        return testDatabase.database.query(sql, parameters);
      }) as typeof testDatabase.database.query,
    };
    const requests = createTokenRequests(database, () => now);
    // 1,500 tokens are requested twice on one chain, and one token on another.
    for (let round = 0; round < 2; round += 1)
      requests.record(
        1,
        Array.from({ length: 1_500 }, (_, number) => tokenOf(number)),
      );
    requests.record(2, [tokenOf(7)]);
    expect(queryCount).toBe(0);
    await requests.flush();
    expect(await stored()).toHaveLength(1_000);
    await requests.flush();
    expect(await stored()).toHaveLength(1_501);
    requests.record(2, [tokenOf(7)]);
    await requests.flush();
    expect(queryCount).toBe(2);
    // After more than 15 minutes, the request time is written again.
    now = new Date(Date.UTC(2026, 0, 1, 1));
    await requests.flush();
    requests.record(2, [tokenOf(7)]);
    await requests.close();
    expect((await stored()).find((row) => row.chain_id === 2)?.asked_at).toEqual(now);
  });

  it("queues at most 10,000 tokens", async () => {
    const requests = createTokenRequests(testDatabase.database, () => new Date(Date.UTC(2026, 0, 2)));
    await testDatabase.database.query("DELETE FROM token_requests");
    requests.record(
      3,
      Array.from({ length: 50_000 }, (_, number) => tokenOf(number)),
    );
    for (let portion = 0; portion < 20; portion += 1) await requests.flush();
    await requests.close();
    expect(await stored()).toHaveLength(10_000);
  });

  it("writes tokens with the next flush after a failed write", async () => {
    await testDatabase.database.query("DELETE FROM token_requests");
    let isDown = true;
    const database = {
      query: ((sql: string, parameters?: readonly unknown[]) =>
        isDown
          ? Promise.reject(new Error("connection refused"))
          : testDatabase.database.query(sql, parameters)) as typeof testDatabase.database.query,
    };
    const requests = createTokenRequests(database, () => new Date(Date.UTC(2026, 0, 3)));
    requests.record(4, [tokenOf(1), tokenOf(2)]);
    await requests.flush();
    isDown = false;
    await requests.flush();
    await requests.close();
    expect((await stored()).map(({ token }) => token).sort()).toEqual([tokenOf(1), tokenOf(2)]);
  });
});
