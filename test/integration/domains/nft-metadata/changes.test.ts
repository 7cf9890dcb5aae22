import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DocumentOutcome } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { createMetadataJobs } from "../../../../runtime/domains/nft-metadata/jobs/jobs.ts";
import { createQueueRefreshesJob, requestRefresh } from "../../../../runtime/domains/nft-metadata/jobs/queue-refreshes.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { countsOf } from "./counting.ts";
import { createWorld, dataUrl, readHeld } from "./documents.ts";
import { chainId, type Hall, openHall, openStage, type Stage } from "./support.ts";

let stage: Stage;
let hall: Hall;
let speaker: Address;
const everyId = 2n ** 256n - 1n;
const read = async (url: string): Promise<DocumentOutcome> => readHeld(url);
const painted = (colour: string) => dataUrl({ name: colour, attributes: [{ trait_type: "Colour", value: colour }] });
const ids = (count: number): number[] => Array.from({ length: count }, (_, id) => id);
const colours = () => hall.test.database.query("SELECT value, tokens FROM nft_trait_values ORDER BY value");

beforeAll(async () => {
  stage = await openStage();
});
beforeEach(async () => {
  speaker = await stage.deploySpeaker();
  hall = await openHall(stage);
});
afterEach(async () => {
  const { standing, counted } = await countsOf(hall.test.database);
  expect(standing).toEqual(counted);
  await hall.test.drop();
});
afterAll(() => stage.stop());

/** Tokens that are all red, and read. */
const paintRed = async (count: number): Promise<number> => {
  await stage.say(speaker, 0, Math.min(count, 1_000) - 1, painted("red"));
  const head = await hall.index();
  await hall.mint(speaker, ids(count), head);
  await hall.queue();
  await hall.worker(read).drain();
  return head;
};

describe("new tokens", () => {
  it("are queued once, in portions, whatever their blocks, and an index without any costs no row", async () => {
    await stage.chain.rpc("anvil_mine", ["0x20"]);
    const head = await hall.index();
    await hall.queue();
    expect(await hall.test.database.query("SELECT FROM nft_read_progress")).toEqual([]);
    for (let block = 1; block <= 5; block += 1) {
      const minted = ids(700).map((id) => block * 1_000 + id);
      await hall.mint(speaker, minted, block);
    }
    // A block is not cut.
    await hall.mint(
      speaker,
      ids(3_000).map((id) => 10_000 + id),
      7,
    );
    expect(await hall.queue()).toBeGreaterThan(2);
    expect(await hall.waiting()).toHaveLength(5 * 700 + 3_000);
    await hall.mint(speaker, [90_000], head);
    await hall.queue();
    expect(await hall.waiting()).toHaveLength(5 * 700 + 3_000 + 1);
  });

  it("of a contract that is two things at once are asked as the first", async () => {
    const head = await hall.index();
    await hall.mint(speaker, [5], head, standards.erc1155);
    await hall.mint(speaker, [5], head, standards.erc721);
    await hall.queue();
    expect(await hall.test.database.query("SELECT standard FROM nft_reads")).toEqual([{ standard: standards.erc721 }]);
  });

  it("are not queued again when the pointers below a roll-back are gone", async () => {
    await paintRed(3);
    await hall.test.database.query("DELETE FROM nft_read_progress");
    await hall.queue();
    expect(await hall.waiting()).toEqual([]);
  });

  it("are queued by nobody where metadata is not kept", () => {
    const nfts = { metadata: "uncached" } as Parameters<typeof createMetadataJobs>[0]["nfts"];
    expect(createMetadataJobs({ nfts })).toEqual([]);
  });

  it("are read by nobody where metadata is not kept", async () => {
    await stage.say(speaker, 0, 0, painted("red"));
    await hall.mint(speaker, [0], await hall.index());
    await hall.queue();
    await hall
      .worker(read, { nfts: { metadata: "uncached", fetchesAtOnce: 1, fetchMilliseconds: 1, documentBytes: 1_000 } })
      .run(AbortSignal.timeout(200));
    expect(await hall.kept()).toEqual([]);
  });
});

describe("announced changes", () => {
  it("have the tokens of the range read again, at the block of the announcement or later", async () => {
    await paintRed(10);
    await stage.say(speaker, 3, 5, painted("blue"));
    const head = await hall.index();
    await hall.announce(speaker, 3, 4, head);
    await hall.announce(speaker, 77, 77, head);
    await hall.queue();
    expect((await hall.waiting()).map(({ token_id, wanted_block }) => [token_id, wanted_block])).toEqual([
      ["3", head],
      ["4", head],
    ]);
    await hall.worker(read).drain();
    // 5 changed as well, and nobody said so.
    expect(await colours()).toEqual([
      { value: "blue", tokens: 2 },
      { value: "red", tokens: 8 },
    ]);
    expect((await hall.kept()).filter(({ name }) => name === "blue").map(({ read_at_block }) => read_at_block)).toEqual([head, head]);
  });

  it("of all ids that there can be go through a collection portion by portion, and go on after an interruption", async () => {
    const head = await hall.index();
    await hall.mint(speaker, ids(5_000), head);
    await hall.mint(speaker, [everyId], head);
    await hall.queue();
    await hall.test.database.query("DELETE FROM nft_reads");
    await hall.announce(speaker, 0, everyId, head + 1);
    await stage.chain.mine();
    await hall.index();
    // One look of each job.
    let looks = 0;
    const isStopped = () => {
      looks += 1;
      return looks > 2;
    };
    const interrupted = await openInterrupted(isStopped);
    await expect(interrupted()).rejects.toThrow("stopped");
    expect(await hall.waiting()).toHaveLength(2_000);
    await hall.queue();
    expect(await hall.waiting()).toHaveLength(5_001);
    expect((await hall.waiting()).every(({ wanted_block }) => wanted_block === head + 1)).toBe(true);
    expect(await hall.test.database.query("SELECT FROM nft_refreshes")).toEqual([]);
  });

  it("of a collection that announces all of its ids again and again keep no other collection waiting", async () => {
    // The first by address as well, so that nothing but its turn being over moves it on.
    const [loud = speaker, ...others] = [speaker, await stage.deploySpeaker(), await stage.deploySpeaker()].sort();
    const head = await hall.index();
    for (const collection of [loud, ...others]) await hall.mint(collection, ids(collection === loud ? 5_000 : 10), head);
    await hall.queue();
    await hall.test.database.query("DELETE FROM nft_reads");
    let looks = 0;
    const job = createQueueRefreshesJob();
    const own = hall.jobContext();
    for (const collection of [loud, ...others]) {
      await hall.test.database.transaction((client) => requestRefresh(client, chainId, collection, null));
    }
    const isServed = async () =>
      (await hall.test.database.query("SELECT FROM nft_reads WHERE token <> decode($1, 'hex')", [loud.slice(2)])).length === 20;
    while (!(await isServed()) && looks < 20) {
      looks += 1;
      await hall.test.database.query("UPDATE nft_refreshes SET again = true WHERE token = decode($1, 'hex')", [loud.slice(2)]);
      await job.run(own);
    }
    // Three collections: the third turn is the last one's, whatever the order of their addresses.
    expect(looks).toBeLessThanOrEqual(3);
  });

  it("that are repeated while they are queued reach the last ids first, and then begin again", async () => {
    const head = await hall.index();
    await hall.mint(speaker, ids(2_500), head);
    await hall.queue();
    await hall.test.database.query("DELETE FROM nft_reads");
    await hall.announce(speaker, 0, everyId, head);
    await hall.test.database.query(
      `INSERT INTO nft_refreshes (chain_id, token, from_id, to_id, next_id, block_number, wanted_block, again)
       VALUES ($1, decode($2, 'hex'), 0, $3, 2000, 1, 1, true)`,
      [chainId, speaker.slice(2), String(everyId)],
    );
    await hall.queue();
    const waiting = await hall.waiting();
    expect(waiting).toHaveLength(2_500);
    expect(await hall.test.database.query("SELECT FROM nft_refreshes")).toEqual([]);
  });

  it("overtake a read that has begun: what it brings is not kept, and the token is read again", async () => {
    await paintRed(1);
    const [before] = await hall.kept();
    await hall.announce(speaker, 0, 0, (await hall.index()) + 1);
    await stage.say(speaker, 0, 0, painted("blue"));
    const head = await hall.index();
    // A read of the block before, begun by a request of the operator's.
    await hall.test.database.transaction((client) => requestRefresh(client, chainId, speaker, "0"));
    await hall.test.database.query("INSERT INTO nft_read_progress VALUES ($1, $2)", [chainId, head]);
    await hall.queue();
    let isFirst = true;
    const worker = hall.worker(async (url) => {
      if (isFirst) {
        isFirst = false;
        await hall.test.database.query("DELETE FROM nft_read_progress WHERE block_number >= $1", [head]);
        await hall.test.database.query("UPDATE nft_metadata_updates SET block_number = $1", [head + 1]);
        await stage.say(speaker, 0, 0, painted("green"));
        await hall.test.database.query(
          `INSERT INTO blocks SELECT chain_id, number + 1, decode($1, 'hex'), hash, timestamp, miner, extra_data, gas_used, gas_limit, base_fee, size, transaction_count
           FROM blocks ORDER BY number DESC LIMIT 1`,
          [(await stage.chain.rpc<{ hash: string }>("eth_getBlockByNumber", ["latest", false])).hash.slice(2)],
        );
        await hall.queue();
      }
      return readHeld(url);
    });
    await worker.drain();
    expect(before?.name).toBe("red");
    // Blue was read, and is nowhere.
    expect(await hall.kept()).toMatchObject([{ name: "green", read_at_block: head + 1 }]);
    expect(await colours()).toEqual([{ value: "green", tokens: 1 }]);
  });
});

describe("a refresh that an operator asks for", () => {
  it("reads a collection again, or a token, and is refused for what is not there", async () => {
    await paintRed(5);
    const ask = (token: Address, id: string | null) =>
      hall.test.database.transaction((client) => requestRefresh(client, chainId, token, id));
    expect(await ask(stage.gallery, null)).toBe(false);
    expect(await ask(speaker, "5")).toBe(false);
    expect(await ask(speaker, "4")).toBe(true);
    await hall.queue();
    expect((await hall.waiting()).map(({ token_id }) => token_id)).toEqual(["4"]);
    expect(await ask(speaker, null)).toBe(true);
    await hall.queue();
    expect(await hall.waiting()).toHaveLength(5);
    const world = createWorld();
    await hall.worker(world.read).drain();
    expect(world.asked).toHaveLength(5);
  });
});

/** The same queueing, whose next transaction fails once told to. */
const openInterrupted = async (isStopped: () => boolean) => {
  const { createQueueNewTokensJob: createQueueingJob } = await import("../../../../runtime/domains/nft-metadata/jobs/queue-new-tokens.ts");
  const { createQueueRefreshesJob: createRefreshingJob } = await import("../../../../runtime/domains/nft-metadata/jobs/queue-refreshes.ts");
  const { database } = hall.test;
  const [head] = await database.query<{ number: number; hash: `0x${string}` }>(
    "SELECT number, hash FROM blocks ORDER BY number DESC LIMIT 1",
  );
  const context = {
    chainId,
    database,
    clock: () => hall.now,
    beside: <T>(work: (client: never, indexed: never) => Promise<T>): Promise<T> => {
      if (isStopped()) throw new Error("stopped");
      return database.transaction((client) => work(client as never, head as never));
    },
  };
  return async () => {
    for (;;) for (const job of [createQueueingJob(), createRefreshingJob()]) await job.run(context as never);
  };
};
