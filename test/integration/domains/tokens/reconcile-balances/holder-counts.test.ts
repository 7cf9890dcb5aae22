import { afterAll, beforeAll, expect, test } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import { recountHolders, updateHolderCounts } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/holders/holder-counts.ts";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";

const token: Address = `0x${"a".repeat(40)}`;
const head = 60;
let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  await testDatabase.database.query(
    "INSERT INTO chains (chain_id, name, genesis_hash, indexed_from, native_accounting) VALUES (1, 'x', '\\x00', 1, 'none')",
  );
  await testDatabase.database.query(
    `INSERT INTO node_sourced_tokens (chain_id, token, standard, found_at_block, owner, node_balance, found_at)
     VALUES (1, '\\x${token.slice(2)}', 1, 1, '\\x00', 0, now())`,
  );
});
afterAll(() => testDatabase?.drop());

interface BalancePeriod {
  readonly owner: number;
  readonly from: number;
  readonly to: number | null;
  balance: number | null;
}

const storePeriods = async (periods: readonly BalancePeriod[]) => {
  await testDatabase.database.query("TRUNCATE balances, balance_periods");
  for (const { owner, from, to, balance } of periods) {
    const key = [1, Buffer.from([owner]), Buffer.from(token.slice(2), "hex"), 1, from];
    if (to === null)
      await testDatabase.database.query(
        "INSERT INTO balances (chain_id, owner, token, standard, since_block, balance) VALUES ($1, $2, $3, $4, $5, $6)",
        [...key, balance],
      );
    else
      await testDatabase.database.query(
        "INSERT INTO balance_periods (chain_id, owner, token, standard, from_block, to_block, pivot_block, balance) VALUES ($1, $2, $3, $4, $5, $6, 0, $7)",
        [...key, to, balance],
      );
  }
};
const counts = async () => {
  const rows = await testDatabase.database.query<{ block_number: number; holders: number | null }>(
    "SELECT block_number, holders FROM holder_counts ORDER BY block_number",
  );
  return Array.from(
    { length: head },
    (_, block) =>
      rows.filter(({ block_number }) => block_number <= block + 1).at(-1)?.holders ??
      (rows[0] && rows[0].block_number <= block + 1 ? null : 0),
  );
};
/** Counts the holders block by block. */
const expected = (periods: readonly BalancePeriod[]) =>
  Array.from({ length: head }, (_, index) => {
    const current = periods.filter(({ from, to }) => from <= index + 1 && (to ?? head) >= index + 1);
    return current.some(({ balance }) => balance === null) ? null : current.filter(({ balance }) => balance !== null && balance > 0).length;
  });

test.each(Array.from({ length: 30 }, (_, seed) => seed))(
  "updating holder counts from the first changed block equals a full recount (seed %i)",
  async (seed) => {
    const random = createRandom(`holders ${seed}`);
    const unknownShare = [0, 5, 30][seed % 3] ?? 0;
    const periods: BalancePeriod[] = [];
    for (let owner = 1; owner <= 6; owner += 1) {
      for (let from = random.between(1, 20); from <= head; ) {
        const next = from + random.between(1, 15);
        const balance = random.between(1, 100) <= unknownShare ? null : random.between(0, 2);
        periods.push({ owner, from, to: next > head ? null : next - 1, balance });
        from = next;
      }
    }
    await storePeriods(periods);
    await testDatabase.database.transaction((client) => recountHolders(client, 1, [{ token, standard: 1 }]));
    expect(await counts()).toEqual(expected(periods));
    const since = random.between(2, head);
    for (const period of periods) if (period.from >= since && random.between(0, 2) > 0) period.balance = random.between(0, 2);
    await storePeriods(periods);
    await testDatabase.database.transaction((client) => updateHolderCounts(client, 1, [{ token, standard: 1, since }], head));
    const expectedCounts = expected(periods);
    const isRecounted = expectedCounts[since - 2] !== null || !periods.some(({ to, balance }) => to === null && balance === null);
    // The counts after an unknown count are not computed while a balance is unknown.
    expect(await counts()).toEqual(
      isRecounted ? expectedCounts : expectedCounts.map((holders, index) => (index + 1 < since ? holders : null)),
    );
  },
);
