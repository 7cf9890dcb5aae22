import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createCommandRunner } from "../../support/commands/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";

let folder: string;
let testDatabase: TestDatabase;
const { runToExit } = createCommandRunner(() => ({ folder, url: testDatabase.url }));
const collection = "0x00000000000000000000000000000000000000aa";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashlar-nfts-"));
  testDatabase = await createTestDatabase();
  await writeFile(join(folder, "ashlar.yaml"), "chains: [{ name: one, id: 7 }, { name: two, id: 8, nfts: { metadata: uncached } }]");
  return async () => {
    await testDatabase.drop();
    await rm(folder, { recursive: true });
  };
});
beforeEach(async () => {
  const { database } = testDatabase;
  for (const table of ["nft_tokens", "nft_reads", "nft_metadata", "nft_refreshes"]) await database.query(`DELETE FROM ${table}`);
  await database.query(
    `INSERT INTO nft_tokens SELECT 7, '\\x00000000000000000000000000000000000000aa', id, 2, 1, NULL FROM generate_series(0, 9) id`,
  );
  await database.query(
    `INSERT INTO nft_metadata (chain_id, token, token_id, standard, block_number, read_at_block, read_at, document, refusal)
     SELECT 7, token, token_id, 2, 1, 1, now(), CASE WHEN token_id < 3 THEN '{}' END, CASE WHEN token_id = 3 THEN 'Gone.' ELSE 'Too large.' END
     FROM nft_tokens WHERE token_id < 6`,
  );
  await database.query(
    `INSERT INTO nft_reads (chain_id, token, token_id, standard, block_number, queued_at, problem)
     SELECT 7, token, token_id, 2, 1, now() - interval '3 hours', CASE WHEN token_id = 6 THEN 'The host is down.' END FROM nft_tokens WHERE token_id > 5`,
  );
});

describe("ashlar nfts status", () => {
  it("prints how many tokens are pending, fetched and rejected, and why", async () => {
    expect(await runToExit(["nfts", "status"])).toEqual([
      0,
      [
        "one: 4 tokens pending, 3 fetched, 3 rejected.",
        `  ${collection}  4 pending, the oldest for 3 h  3 fetched  3 rejected`,
        "    1 retried: The host is down.",
        "    2 rejected: Too large.",
        "    1 rejected: Gone.",
        "two: 0 tokens pending, 0 fetched, 0 rejected. Metadata of this chain is not stored (nfts.metadata: uncached): pending tokens are not fetched.",
        "",
      ].join("\n"),
    ]);
    expect((await runToExit(["nfts", "status", "--chain", "two"]))[1]).not.toContain("one:");
  });

  it("escapes control characters in texts from hosts and documents", async () => {
    await testDatabase.database.query("UPDATE nft_metadata SET refusal = $1 WHERE refusal IS NOT NULL", [
      "It has the element \u001b]0;owned\u0007\u009b2J\u202egnp.exe\u2028.",
    ]);
    await testDatabase.database.query("UPDATE nft_reads SET problem = $1 WHERE problem IS NOT NULL", [
      "Down.\r\none: 0 tokens pending\u007f",
    ]);
    const [code, output] = await runToExit(["nfts", "status", "--chain", "one"]);
    expect(code).toBe(0);
    expect(output.split("\n")).toEqual([
      "one: 4 tokens pending, 3 fetched, 3 rejected.",
      `  ${collection}  4 pending, the oldest for 3 h  3 fetched  3 rejected`,
      "    1 retried: Down.\\u000d\\u000aone: 0 tokens pending\\u007f",
      "    3 rejected: It has the element \\u001b]0;owned\\u0007\\u009b2J\\u202egnp.exe\\u2028.",
      "",
    ]);
  });
});

describe("ashlar nfts refresh", () => {
  const ranges = () => testDatabase.database.query("SELECT chain_id, token, from_id, to_id FROM nft_refreshes ORDER BY from_id, to_id");

  it("queues a collection, or one token", async () => {
    const queued = (subject: string) =>
      `Queued: the process that indexes one fetches the metadata of ${subject}; if none is running, the next run of ashlar index will.\n`;
    expect(await runToExit(["nfts", "refresh", "--chain", "one", collection.toUpperCase().replace("0X", "0x")])).toEqual([
      0,
      queued(`collection ${collection}`),
    ]);
    expect((await runToExit(["nfts", "refresh", "--chain", "one", collection, "9"]))[0]).toBe(0);
    expect(await ranges()).toEqual([
      // 2^256 - 1.
      {
        chain_id: 7,
        token: collection,
        from_id: "0",
        to_id: "115792089237316195423570985008687907853269984665640564039457584007913129639935",
      },
      { chain_id: 7, token: collection, from_id: "9", to_id: "9" },
    ]);
  });

  it.each([
    [
      ["--chain", "one", collection, "10"],
      `No token 10 of ${collection} in the index of one; check the address, or wait until it is indexed.\n`,
    ],
    [["--chain", "two", collection], "Metadata of two is not stored; set nfts.metadata of the chain to cached in ashlar.yaml.\n"],
    [[collection], "Several chains are configured (one, two); choose one with --chain NAME.\n"],
    [["--chain", "one", "0x12"], 'Invalid value "0x12" for collection: expected an address (0x followed by 40 hex digits).'],
    [["--chain", "one", collection, "-1"], 'Invalid value "-1" for token-id: expected an integer from 0 to 2^256 - 1.'],
    [["--chain", "one", collection, "1e3"], 'Invalid value "1e3" for token-id: expected an integer from 0 to 2^256 - 1.'],
  ])("prints what to do for the arguments %j, and queues nothing", async (args, message) => {
    const [code, output] = await runToExit(["nfts", "refresh", ...args]);
    expect(code).toBe(1);
    expect(output).toContain(message);
    expect(await ranges()).toEqual([]);
  });
});
