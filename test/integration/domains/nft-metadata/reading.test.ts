import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DocumentOutcome } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { deadline } from "../../../support/deadline.ts";
import { until } from "../../../support/until.ts";
import { createWorld, dataUrl, documentOf, readHeld } from "./documents.ts";
import { type Hall, openHall, openStage, type Stage } from "./support.ts";

let stage: Stage;
let hall: Hall;
let speaker: Address;

beforeAll(async () => {
  stage = await openStage();
});
beforeEach(async () => {
  speaker = await stage.deploySpeaker();
  hall = await openHall(stage);
});
afterEach(() => hall.test.drop());
afterAll(() => stage.stop());

const named = (name: string): DocumentOutcome => ({ ok: true, document: documentOf(JSON.stringify({ name })) });
const down: DocumentOutcome = { ok: false, refusal: "The host is down.", isLasting: false };
const fewAtOnce = { metadata: "cached", fetchesAtOnce: 8, fetchMilliseconds: 15_000, documentBytes: 1_000_000 } as const;
const ids = (count: number, first = 0): number[] => Array.from({ length: count }, (_, id) => first + id);
/** Has a speaker say an address of ids and the ids minted and queued; gives the height. */
const begin = async (text: string, count: number, standard: number = standards.erc721, first = 0): Promise<number> => {
  await stage.say(speaker, first, first + count - 1, text);
  const head = await hall.index();
  await hall.mint(speaker, ids(count, first), head, standard);
  await hall.queue();
  return head;
};

describe("metadata", () => {
  it("is read from where each contract says: held by it, served elsewhere with the id put in, or nowhere", async () => {
    const other = await stage.deploySpeaker();
    await stage.say(speaker, 1, 1, dataUrl({ name: "held" }));
    await stage.say(other, 10, 11, "https://one.example/{id}.json");
    const head = await hall.index();
    await hall.mint(speaker, [1, 2], 1);
    await hall.mint(other, [10], 1, standards.erc1155);
    await hall.mint(other, [11], 1);
    await hall.queue();
    const world = createWorld({ "https://one.example/": (url) => named(url) });
    await hall.worker(world.read).drain();
    const rows = await hall.kept();
    // EIP-1155: 64 lower-case hex digits without 0x; 10 is 0x0a. EIP-721 knows no such place.
    expect(rows.find((row) => row.token_id === "10")?.name).toBe(`https://one.example/${"a".padStart(64, "0")}.json`);
    expect(rows.find((row) => row.token_id === "11")?.name).toBe("https://one.example/{id}.json");
    expect(rows.find((row) => row.token_id === "1")).toMatchObject({ token: speaker, name: "held", refusal: null, read_at_block: head });
    expect(rows.find((row) => row.token_id === "2")).toMatchObject({ name: null, refusal: "The contract returns no metadata URL." });
    expect(await hall.waiting()).toEqual([]);
    expect(world.asked).toHaveLength(3);
  });

  it("that contracts hold is read with a turn for others between two documents", async () => {
    await begin(dataUrl({ name: "held" }), 5);
    let turn = 0;
    const seen: number[] = [];
    const next = (): void => {
      turn += 1;
      if (seen.length < 5) setImmediate(next);
    };
    next();
    await hall
      .worker(async (url) => {
        seen.push(turn);
        return readHeld(url);
      })
      .drain();
    expect(seen).toHaveLength(5);
    expect(new Set(seen).size).toBe(5);
  });

  it("is refused where a contract says more than any document may have, and is asked of few tokens at once", async () => {
    await begin(dataUrl({ name: "x".repeat(2_000) }), 1);
    await begin(dataUrl({ name: "y" }), 70, standards.erc721, 10);
    const asked: number[] = [];
    const source: typeof stage.source = {
      ...stage.source,
      calls: (calls, height) => {
        // Each call of an aggregate brings its own selector along; what is not aggregated is a call of its own.
        asked.push(calls.reduce((sum, { data }) => sum + Math.max(1, data.split("c87b56dd").length - 1), 0));
        return stage.source.calls(calls, height);
      },
    };
    const nfts = { metadata: "cached", fetchesAtOnce: 16, fetchMilliseconds: 15_000, documentBytes: 100 } as const;
    const world = createWorld();
    await hall.worker(world.read, { nfts, source }).drain();
    const rows = await hall.kept();
    expect(rows.find((row) => row.token_id === "0")?.refusal).toBe(
      "The contract's response is too large: documents of up to 100 bytes are accepted.",
    );
    expect(rows.filter((row) => row.name === "y")).toHaveLength(70);
    expect(world.asked).toHaveLength(70);
    expect(Math.max(...asked)).toBe(30);
  });

  it("is tried again four times as late each time while its host fails, and what the eighth try says is kept", async () => {
    await begin("https://down.example/1", 1);
    const worker = hall.worker(createWorld({ "https://down.example/": () => down }).read);
    const waits: number[] = [];
    for (let attempt = 1; attempt < 8; attempt += 1) {
      await worker.drain();
      const [row] = await hall.test.database.query<{ run_after: Date; problem: string }>("SELECT run_after, problem FROM nft_reads");
      expect(row?.problem).toBe("The host is down.");
      waits.push(((row?.run_after.getTime() ?? 0) - hall.now.getTime()) / 1_000);
      hall.now = new Date((row?.run_after.getTime() ?? 0) - 1);
      await worker.drain();
      expect((await hall.waiting())[0]?.attempts).toBe(attempt);
      hall.now = row?.run_after ?? hall.now;
    }
    // 10 s times 4 each time, six hours at most.
    expect(waits).toEqual([10, 40, 160, 640, 2_560, 10_240, 21_600]);
    await worker.drain();
    expect(await hall.waiting()).toEqual([]);
    expect(await hall.kept()).toMatchObject([{ refusal: "The host is down." }]);
  });

  it("that is refused for good is not asked for again", async () => {
    await begin("ftp://nowhere/", 1);
    const world = createWorld();
    await hall.worker(world.read).drain();
    expect(await hall.kept()).toMatchObject([{ refusal: "nobody serves it" }]);
    expect(world.asked).toHaveLength(1);
  });

  it("waits while the node fails, without counting that against it", async () => {
    await begin(dataUrl({ name: "later" }), 3);
    const failing = { ...stage.source, calls: () => Promise.reject(new Error("The node is away.")) };
    await expect(hall.worker(readLater, { source: failing }).drain()).rejects.toThrow("The node is away.");
    expect((await hall.waiting()).map(({ attempts }) => attempts)).toEqual([0, 0, 0]);
    const stop = new AbortController();
    const run = hall.worker(readLater, { source: failing }).run(stop.signal);
    await until("A warning", () => hall.warnings.length > 0);
    stop.abort();
    await run;
    expect(hall.warnings[0]).toBe("test: job read-nft-urls failed, retrying in 1 s: The node is away.");
    await hall.worker(readLater).drain();
    expect(await hall.kept()).toHaveLength(3);
  });

  it("is not asked for while the node has another block at the index's head, or is far ahead of it", async () => {
    const head = await begin(dataUrl({ name: "held" }), 1);
    const other = { ...stage.source, hashesOf: async () => [`0x${"9".repeat(64)}` as const] };
    await hall.worker(readLater, { source: other }).drain();
    const ahead = { ...stage.source, head: async () => ({ ...(await stage.source.head()), number: head + 17 }) };
    await hall.worker(readLater, { source: ahead }).drain();
    expect(await hall.kept()).toEqual([]);
    expect(await hall.waiting()).toMatchObject([{ attempts: 0, url: null }]);
    await hall.worker(readLater).drain();
    expect(await hall.kept()).toHaveLength(1);
  });

  it("of one slow host keeps nobody else's waiting, and that host is asked for a few at once", async () => {
    await begin("https://slow.example/{id}", 300, standards.erc1155);
    await begin("https://quick.example/{id}", 60, standards.erc1155, 1_000);
    let slow = 0;
    const world = createWorld({
      "https://slow.example/": () => {
        slow += 1;
        return new Promise(() => undefined);
      },
      "https://quick.example/": () => named("quick"),
    });
    const stop = new AbortController();
    const run = hall.worker(world.read).run(stop.signal);
    await until("All of the quick host", async () => (await hall.kept()).length === 60);
    stop.abort();
    await run;
    // A quarter of 16.
    expect(slow).toBe(4);
    // What was in hand is let go of, and had counted for nothing.
    expect((await hall.waiting()).every(({ attempts }) => attempts === 0)).toBe(true);
    expect(await hall.test.database.query("SELECT FROM nft_reads WHERE leased_until IS NOT NULL")).toEqual([]);
  });

  it("of a host is not kept waiting by a thousand others that fail", async () => {
    await begin("https://{id}.down.example/", 1_000, standards.erc1155);
    await begin("https://quick.example/{id}", 60, standards.erc1155, 1_000);
    const world = createWorld({ "https://quick.example/": () => named("quick") });
    // Those are tried again in an hour.
    await hall
      .worker((url, signal) => (url.includes("down") ? Promise.resolve(down) : world.read(url, signal)), { nfts: fewAtOnce })
      .drain();
    await hall.test.database.query("UPDATE nft_reads SET run_after = $1", [new Date(hall.now.getTime() + 3_600_000)]);
    expect(await hall.kept()).toHaveLength(60);
    await begin("https://quick.example/{id}", 60, standards.erc1155, 2_000);
    const stop = new AbortController();
    const begun = Date.now();
    const run = hall.worker(world.read, { nfts: fewAtOnce, pauseMilliseconds: 500 }).run(stop.signal);
    await until("All of the quick host", async () => (await hall.kept()).length === 120);
    stop.abort();
    await run;
    // Two at once are thirty turns: with a pause after each 64 of 1,000 hosts they would take 30 · 16 · 0.5 s.
    expect(Date.now() - begun).toBeLessThan(deadline(20_000));
  });

  it("that a killed worker had in hand is anybody's once its claim has ended", async () => {
    await begin("https://one.example/{id}", 3, standards.erc1155);
    const reached = createWorld({ "https://one.example/": () => new Promise(() => undefined) });
    // Its fetches and its clock stop, as if its process had been suspended.
    const { now } = hall;
    hall
      .worker(reached.read, { clock: () => now })
      .drain()
      .catch(() => undefined);
    await until("A claim", () => reached.asked.length === 3);
    const other = hall.worker(createWorld({ "https://one.example/": () => named("one") }).read);
    await other.drain();
    expect(await hall.kept()).toEqual([]);
    // A minute, and twice the 15 s of a fetch.
    hall.now = new Date(hall.now.getTime() + 89_000);
    await other.drain();
    expect(await hall.kept()).toEqual([]);
    hall.now = new Date(hall.now.getTime() + 1_000);
    await other.drain();
    expect(await hall.kept()).toHaveLength(3);
  });

  it("is read once, whoever reads it: four workers share the queue", async () => {
    await begin("https://one.example/{id}", 200, standards.erc1155);
    await begin(dataUrl({ name: "held", attributes: [{ trait_type: "Place", value: "here" }] }), 600, standards.erc721, 1_000);
    const world = createWorld({ "https://one.example/": () => named("one") });
    const workers = Array.from({ length: 4 }, () => hall.worker(world.read));
    await Promise.all(workers.map((worker) => worker.drain()));
    expect(world.asked).toHaveLength(800);
    expect(await hall.kept()).toHaveLength(800);
    expect(await hall.test.database.query("SELECT value, tokens FROM nft_trait_values")).toEqual([{ value: "here", tokens: 600 }]);
  });

  it("that the database cannot hold is refused, and keeps no other from being kept", async () => {
    await begin("https://one.example/{id}", 5, standards.erc1155);
    const world = createWorld({
      "https://one.example/": (url) => {
        const document = documentOf(JSON.stringify({ name: "a\0b\ud800", attributes: [{ trait_type: "\0", value: "\udfff\0" }] }));
        return { ok: true, document: url.endsWith("3") ? { ...document, assetBytes: 0.5 } : document };
      },
    });
    await hall.worker(world.read).drain();
    const rows = await hall.kept();
    expect(rows.map(({ name }) => name)).toEqual(["ab\ufffd", "ab\ufffd", "ab\ufffd", null, "ab\ufffd"]);
    expect(rows[3]?.refusal).toBe("The metadata cannot be stored.");
    expect(await hall.test.database.query("SELECT trait, value, tokens FROM nft_trait_values")).toEqual([
      { trait: "", value: "\ufffd", tokens: 4 },
    ]);
  });

  it("is counted by the first 256 characters of a trait and of a value, whole ones, which an index can hold", async () => {
    await begin(
      dataUrl({
        attributes: [
          { trait_type: "é".repeat(300), value: `${"x".repeat(255)}😀😀` },
          { trait_type: "😀".repeat(257), value: 1 },
        ],
      }),
      1,
    );
    await hall.worker(readLater).drain();
    expect(await hall.test.database.query("SELECT trait, value FROM nft_trait_values ORDER BY number NULLS FIRST")).toEqual([
      { trait: "é".repeat(256), value: `${"x".repeat(255)}😀` },
      { trait: "😀".repeat(256), value: "1" },
    ]);
  });
});

const readLater = async (url: string): Promise<DocumentOutcome> => readHeld(url);
