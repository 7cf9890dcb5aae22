import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { setUpReaderRole } from "../../../../runtime/database/reader/reader-role.ts";
import { withAccount } from "../../../../runtime/database/with-account.ts";
import { closeAll, newDatabase, open, openReaders, outcome, testDatabase } from "./databases.ts";

afterAll(closeAll);
beforeAll(openReaders);

describe("setUpReaderRole", () => {
  it("returns the same account to processes that start concurrently", async () => {
    const { url } = await newDatabase();
    const pools = Array.from({ length: 6 }, () => open(url));
    const accounts = await Promise.all(pools.map((pool) => setUpReaderRole(pool, { isOwnServer: true })));
    expect(new Set(accounts.map(({ user, password }) => `${user} ${password}`)).size).toBe(1);
    await Promise.all(pools.map((pool) => pool.close()));
  });

  it("creates a role for each database on a server, each with its own password", async () => {
    const other = await newDatabase();
    const [account, otherAccount] = [
      await setUpReaderRole(testDatabase.database, { isOwnServer: true }),
      await setUpReaderRole(other.database, { isOwnServer: true }),
    ];
    expect(account.user).not.toBe(otherAccount.user);
    const wrong = open(withAccount(other.url, { ...otherAccount, password: account.password }));
    expect(await outcome(wrong, "SELECT 1")).toBe("28P01");
    await wrong.close();
  });

  it("does not send the password to the server", async () => {
    const { database } = await newDatabase();
    const sent: string[] = [];
    const account = await setUpReaderRole(
      {
        ...database,
        transaction: (work) =>
          database.transaction((client) =>
            work({
              ...client,
              query: (sql, parameters) => {
                sent.push(JSON.stringify([sql, parameters]));
                return client.query(sql, parameters);
              },
            }),
          ),
      },
      { isOwnServer: true },
    );
    expect(sent.join("\n")).toContain("SCRAM-SHA-256$4096:");
    expect(sent.join("\n")).not.toContain(account.password);
  });
});
