import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bytes } from "../../../../runtime/database/codecs.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { createIndexCache } from "../../../../runtime/database/index-cache.ts";
import type { NotificationState, Notifications } from "../../../../runtime/database/notifications.ts";
import { createHeads, type Heads } from "../../../../runtime/domains/ledger/queries/heads.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";

const chainId = 7;
let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  return testDatabase.drop;
});

const hashOf = (number: number, branch = 0) => `0x${String(branch).padStart(2, "0")}${String(number).padStart(62, "0")}`;
const insertBlock = (number: number, branch = 0) =>
  testDatabase.database.query(
    `INSERT INTO blocks (chain_id, number, hash, parent_hash, timestamp, miner, extra_data, gas_used, gas_limit, size, transaction_count)
     VALUES ($1, $2, $3, $3, 0, '', '', 0, 0, 0, 0)`,
    [chainId, number, bytes(hashOf(number, branch))],
  );

/** Heads with notifications and a clock that the test sets; `counter` counts the statements sent. */
function createTestHeads() {
  const now = { value: 0 };
  const state = { value: "connected" as NotificationState };
  const listeners = new Set<(payload: string | null) => void>();
  const notifications: Notifications = {
    state: () => state.value,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => undefined,
  };
  const counter = { statements: 0 };
  const database: Pick<Database, "query"> = {
    query: (sql, parameters) => {
      counter.statements += 1;
      return testDatabase.database.query(sql, parameters);
    },
  };
  const cache = createIndexCache(notifications, { now: () => now.value }).loads("blocks");
  const heads = createHeads({ database, chainIds: [chainId], notifications, cache });
  const notify = (payload: string | null) => {
    for (const listener of listeners) listener(payload);
  };
  return { heads, now, state, counter, notify };
}

const numberOf = async (heads: Heads) => (await heads.progressOfChain(chainId))?.head;

describe("the head of a chain", () => {
  beforeEach(async () => {
    await insertBlock(1);
    await insertBlock(2);
  });
  afterEach(() => testDatabase.database.query("DELETE FROM blocks WHERE chain_id = $1", [chainId]));

  it("is cached until a notification", async () => {
    const { heads, now, counter, notify } = createTestHeads();
    const head = await heads.progressOfChain(chainId);
    expect(head).toMatchObject({ head: 2, headHash: hashOf(2) });
    now.value = 1_000_000;
    expect(await heads.progressOfChain(chainId)).toBe(head);
    expect(counter.statements).toBe(1);
    await insertBlock(3);
    notify("blocks");
    expect(await numberOf(heads)).toBe(3);
    expect(counter.statements).toBe(2);
  });

  it("is read for each request while the connection is lost", async () => {
    const { heads, state, notify } = createTestHeads();
    expect(await numberOf(heads)).toBe(2);
    state.value = "disconnected";
    notify(null);
    await insertBlock(3);
    expect(await numberOf(heads)).toBe(3);
    await insertBlock(4);
    expect(await numberOf(heads)).toBe(4);
  });

  it("is read at most once a second if the database cannot notify", async () => {
    const { heads, now, state, counter } = createTestHeads();
    state.value = "unsupported";
    expect(await numberOf(heads)).toBe(2);
    await insertBlock(3);
    now.value = 1_000;
    expect(await numberOf(heads)).toBe(2);
    now.value = 1_001;
    expect(await numberOf(heads)).toBe(3);
    expect(counter.statements).toBe(2);
  });

  it("is the same object until it changes, and listeners are called with each change", async () => {
    const { heads, notify } = createTestHeads();
    const changes: (number | undefined)[] = [];
    const remove = heads.onProgress((chain, progress) => changes.push(chain === chainId ? progress?.head : -1));
    const before = await heads.progressOfChain(chainId);
    notify("blocks");
    expect(await heads.progressOfChain(chainId)).toBe(before);
    // A reorganisation to another block at the same height.
    await testDatabase.database.query("DELETE FROM blocks WHERE chain_id = $1 AND number = 2", [chainId]);
    await insertBlock(2, 1);
    notify("blocks");
    const after = await heads.progressOfChain(chainId);
    expect(after).toMatchObject({ head: 2, headHash: hashOf(2, 1) });
    expect(changes).toEqual([2, 2]);
    remove();
    await testDatabase.database.query("DELETE FROM blocks WHERE chain_id = $1", [chainId]);
    notify("blocks");
    expect(await heads.progressOfChain(chainId)).toBeUndefined();
    expect(changes).toEqual([2, 2]);
  });
});
