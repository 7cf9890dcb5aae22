import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { noOutage } from "../../../runtime/database/primary-outage.ts";
import { anchorMilliseconds, createAnchors, fingerprintOf } from "../../../runtime/http/anchors.ts";
import { type Harness, startHarness } from "./harness.ts";

let app: Harness;
/** The number of pages in each list of this test. */
const pageCount = 3;
const address = `0x${"11".repeat(20)}`;
const listPath = `/v1/demo/events/address/${address}/`;

beforeAll(async () => {
  const getPage = async ({ page }: { readonly page: { readonly number: number } }, { anchor }: { readonly anchor: number | null }) => ({
    anchor,
    items: [],
    pagination: { has_more: page.number < pageCount - 1, page_number: page.number, page_size: 100, total_count: null },
  });
  app = await startHarness({
    getLogEventsByAddress: getPage,
    getLogEventsByTopicHash: async (request: never, scope) => {
      scope.pinAnchor(93);
      scope.pinAnchor(105);
      return getPage(request, scope);
    },
    getBlock: async (_request, { anchor }) => ({ anchor }),
    getAllChains: async (_request, { anchor }) => ({ anchor }),
  });
});
afterEach(async () => {
  app.head = 100;
  await app.testDatabase.database.query("DELETE FROM page_anchors");
});
afterAll(() => app.end());

const anchorOf = async (path: string, key = app.key) => (await app.withoutKey().get(path).query({ key })).body.data.anchor;
const storedAnchors = () => app.testDatabase.database.query<{ block_number: number }>("SELECT block_number FROM page_anchors");

/** Makes anchor inserts fail with a SQLSTATE. */
const refuseAnchors = (code: string) =>
  app.testDatabase.database.query(
    `CREATE FUNCTION refuse_anchor() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$;
     CREATE TRIGGER refuse_anchors BEFORE INSERT ON page_anchors FOR EACH ROW EXECUTE FUNCTION refuse_anchor()`,
  );
const acceptAnchors = () => app.testDatabase.database.query("DROP TRIGGER refuse_anchors ON page_anchors; DROP FUNCTION refuse_anchor()");

describe("an anchor", () => {
  it.each([
    ["53100", "without disk space"],
    ["25006", "on a standby"],
  ])("does not fail its page if it cannot be stored (SQLSTATE %s, %s)", async (code) => {
    await refuseAnchors(code);
    try {
      expect(await anchorOf(listPath)).toBe(100);
      expect(await storedAnchors()).toEqual([]);
    } finally {
      await acceptAnchors();
    }
  });

  it.each(["53200", "58030"])("fails its page with 503 if it cannot be stored due to a system error (SQLSTATE %s)", async (code) => {
    await refuseAnchors(code);
    try {
      expect((await app.withoutKey().get(listPath).query({ key: app.key })).status).toBe(503);
    } finally {
      await acceptAnchors();
    }
  });

  it("is set by page 0 if there are more pages, and reused by later pages while the chain grows", async () => {
    expect(await anchorOf(listPath)).toBe(100);
    app.head = 107;
    expect(await anchorOf(`${listPath}?page-number=1`)).toBe(100);
    app.head = 120;
    expect(await anchorOf(`${listPath}?page-number=2`)).toBe(100);
    expect(await storedAnchors()).toEqual([{ block_number: 100 }]);
  });

  it("can be pinned by a resolver to an earlier block, but not to a later one", async () => {
    const pinned = `/v1/demo/events/topics/0x${"22".repeat(32)}/`;
    expect(await anchorOf(pinned)).toBe(100);
    app.head = 107;
    expect(await anchorOf(`${pinned}?page-number=1`)).toBe(93);
    expect(await storedAnchors()).toEqual([{ block_number: 93 }]);
  });

  it("is replaced by the next request for page 0", async () => {
    await anchorOf(listPath);
    app.head = 105;
    expect(await anchorOf(listPath)).toBe(105);
    app.head = 106;
    expect(await anchorOf(`${listPath}?page-number=1`)).toBe(105);
  });

  it("is shared by requests that differ only in case, default or unknown parameters, or format", async () => {
    await anchorOf(listPath);
    app.head = 101;
    expect(await anchorOf(`/v1/31337/events/address/${address.toUpperCase()}?page-size=100&page-number=1&_=123`)).toBe(100);
    const { status } = await app.get(`${listPath}?page-number=1&format=csv`);
    expect(status).toBe(200);
    expect(await storedAnchors()).toHaveLength(1);
  });

  it("is not shared with other keys, parameters or lists", async () => {
    await anchorOf(listPath);
    app.head = 101;
    const { key } = await app.keys.create({ label: "other" });
    expect(await anchorOf(`${listPath}?page-number=1`, key)).toBe(101);
    expect(await anchorOf(`${listPath}?page-number=1&page-size=50`)).toBe(101);
    expect(await anchorOf(`${listPath}?page-number=1&starting-block=5`)).toBe(101);
  });

  it("is shared by server processes", async () => {
    await anchorOf(listPath);
    const other = createAnchors(app.testDatabase.database, pino({ level: "silent" }));
    const fingerprint = fingerprintOf(app.keyId, "getLogEventsByAddress", {
      chain: { id: 31337, name: "demo" },
      contractAddress: address,
      startingBlock: "earliest",
      endingBlock: null,
      format: "csv",
      page: { number: 2, size: 100 },
    });
    const unknownHead = { block: 100, content: null };
    expect(await other.find(fingerprint, 31337, unknownHead)).toEqual({ block: 100, isOld: false });
    expect(await other.find(fingerprint, 1, unknownHead)).toBeNull();
    other.stop();
  });

  it("is not read or stored again by the process that stored it until the index's content changes", async () => {
    const statements: string[] = [];
    const { database } = app.testDatabase;
    const counted = createAnchors(
      {
        query(statement, parameters) {
          statements.push(String(statement).trim().split(" ")[0] ?? "");
          return database.query(statement, parameters);
        },
      },
      pino({ level: "silent" }),
      { now: () => now },
    );
    let now = 0;
    const fingerprint = fingerprintOf(app.keyId, "getLogEventsByAddress", { page: { number: 0, size: 100 } });
    const pin = (block: number, content: string) => counted.pin(fingerprint, 31337, block, true, { block, content });
    await pin(100, "1");
    await pin(100, "1");
    expect(await counted.find(fingerprint, 31337, { block: 100, content: "1" })).toEqual({ block: 100, isOld: false });
    expect(statements).toEqual(["INSERT"]);
    // At a later head, the list's anchor remains until page 0 replaces it.
    expect(await counted.find(fingerprint, 31337, { block: 107, content: "2" })).toEqual({ block: 100, isOld: false });
    await pin(107, "2");
    expect(statements).toEqual(["INSERT", "SELECT", "INSERT"]);
    expect(await storedAnchors()).toEqual([{ block_number: 107 }]);
    // After some time, page 0 stores the anchor again, so that it expires 15 minutes after the last request for page 0.
    now = 30_000;
    await pin(107, "2");
    expect(statements).toEqual(["INSERT", "SELECT", "INSERT", "INSERT"]);
    // An anchor below the head is always read, because another process may have stored a different one.
    await counted.pin(fingerprint, 31337, 93, true, { block: 107, content: "2" });
    expect(await counted.find(fingerprint, 31337, { block: 107, content: "2" })).toEqual({ block: 93, isOld: false });
    // An anchor at the head that another process has stored is read once; page 0 then stores it again.
    statements.length = 0;
    await database.query("UPDATE page_anchors SET block_number = 107");
    for (const _ of [1, 2])
      expect(await counted.find(fingerprint, 31337, { block: 107, content: "2" })).toEqual({ block: 107, isOld: false });
    await pin(107, "2");
    expect(statements).toEqual(["SELECT", "INSERT"]);
    counted.stop();
  });

  it("expires after 15 minutes unless a request in the second half renews it, and is then deleted", async () => {
    const { database } = app.testDatabase;
    const age = (minutes: number) =>
      database.query("UPDATE page_anchors SET expires_at = expires_at - $1 * interval '1 minute'", [minutes]);
    await anchorOf(listPath);
    const secondsLeft = async () =>
      (
        await database.query<{ seconds_left: number }>(
          "SELECT extract(epoch FROM expires_at - now())::float8 AS seconds_left FROM page_anchors",
        )
      )[0]?.seconds_left;
    expect(await secondsLeft()).toBeGreaterThan(anchorMilliseconds / 1000 - 60);
    expect(anchorMilliseconds).toBe(900_000);
    await age(10);
    app.head = 110;
    expect(await anchorOf(`${listPath}?page-number=1`)).toBe(100);
    expect(await secondsLeft()).toBeGreaterThan(840);
    await age(16);
    expect(await anchorOf(`${listPath}?page-number=2`)).toBe(110);
    const anchors = createAnchors(database, pino({ level: "silent" }));
    expect(await storedAnchors()).toHaveLength(1);
    await anchors.cleanUp();
    anchors.stop();
    expect(await storedAnchors()).toHaveLength(0);
  });

  it("is cached by the process that served page 0 while the primary is lost, and stored by page 0 afterwards", async () => {
    let isLost = true;
    const outage = { ...noOutage, isLost: () => isLost };
    const { database } = app.testDatabase;
    const anchors = createAnchors(database, pino({ level: "silent" }), performance, outage);
    const fingerprint = Buffer.from("outage");
    await anchors.pin(fingerprint, 1, 100, true, { block: 100, content: "7.1" });
    expect(await storedAnchors()).toHaveLength(0);
    expect(await anchors.find(fingerprint, 1, { block: 100, content: "7.1" })).toEqual({ block: 100, isOld: false });
    expect(await anchors.find(fingerprint, 1, { block: 101, content: "8.1" })).toBeNull();
    isLost = false;
    await anchors.pin(fingerprint, 1, 100, true, { block: 100, content: "7.1" });
    expect(await storedAnchors()).toHaveLength(1);
    anchors.stop();
  });

  it("is set by a later page, except the last one, if it has expired", async () => {
    expect(await anchorOf(`${listPath}?page-number=2`)).toBe(100);
    expect(await storedAnchors()).toHaveLength(0);
    expect(await anchorOf(`${listPath}?page-number=1`)).toBe(100);
    app.head = 103;
    expect(await anchorOf(`${listPath}?page-number=2`)).toBe(100);
  });

  it("is ignored if it is above the head of a rebuilt index", async () => {
    await anchorOf(listPath);
    app.head = 40;
    expect(await anchorOf(`${listPath}?page-number=1`)).toBe(40);
    app.head = 45;
    expect(await anchorOf(`${listPath}?page-number=2`)).toBe(40);
  });

  it("is the head for unpaged operations, and null without a chain or before its first block", async () => {
    expect(await anchorOf("/v1/demo/block_v2/latest/")).toBe(100);
    expect(await anchorOf("/v1/chains/")).toBeNull();
    app.head = null;
    expect(await anchorOf(listPath)).toBeNull();
    expect(await storedAnchors()).toHaveLength(0);
  });
});
