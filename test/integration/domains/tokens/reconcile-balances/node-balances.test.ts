import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeReadings } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/holders/readings.ts";
import { standards } from "../../../../../runtime/domains/tokens/projection/standards.ts";
import { type Address, nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";

let testDatabase: TestDatabase;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
});
afterAll(() => testDatabase?.drop());

const owner: Address = `0x${"b".repeat(40)}`;
const coin: Address = `0x${"a".repeat(40)}`;

describe("writeReadings", () => {
  it.each([
    // A contract's balance holds from one reading to the next; a native balance is known only at its readings' blocks.
    ["a token's", coin, standards.erc20, [[10, 19, "5"]]],
    [
      "a native",
      nativeTokenAddress,
      standards.native,
      [
        [10, 10, "5"],
        [11, 19, null],
      ],
    ],
  ] as const)("stores the history of %s balance only as far as its readings determine it", async (_, token, standard, periods) => {
    const key = { owner, token, standard, tokenId: null };
    await testDatabase.database.query(
      "INSERT INTO balances (chain_id, owner, token, standard, since_block, balance) VALUES (1, $1, $2, $3, 10, NULL)",
      [Buffer.from(owner.slice(2), "hex"), Buffer.from(token.slice(2), "hex"), standard],
    );
    // The balance is 5 at block 10, since which it is stored, and 7 at the head, block 20.
    await testDatabase.database.transaction((client) =>
      writeReadings(client, 1, [
        { key, since: 10, readAt: 10, balance: 5n },
        { key, since: 10, readAt: 20, balance: 7n },
      ]),
    );
    expect(await testDatabase.database.query(`SELECT since_block, balance FROM balances WHERE standard = ${standard}`)).toEqual([
      { since_block: 20, balance: "7" },
    ]);
    expect(
      await testDatabase.database.query(
        `SELECT from_block, to_block, balance FROM balance_periods WHERE standard = ${standard} ORDER BY from_block`,
      ),
    ).toEqual(periods.map(([from_block, to_block, balance]) => ({ from_block, to_block, balance })));
  });
});
