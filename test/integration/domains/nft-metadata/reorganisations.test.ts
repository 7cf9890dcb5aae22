import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { DocumentOutcome } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { until } from "../../../support/until.ts";
import { countsOf } from "./counting.ts";
import { createWorld, dataUrl, documentOf, readHeld } from "./documents.ts";
import { type Hall, openHall, openStage, type Stage } from "./support.ts";

let stage: Stage;
let hall: Hall;
let speaker: Address;
const read = async (url: string): Promise<DocumentOutcome> => readHeld(url);
const painted = (colour: string) => dataUrl({ name: colour, attributes: [{ trait_type: "Colour", value: colour }] });
const colours = () => hall.test.database.query("SELECT value, tokens FROM nft_trait_values ORDER BY value");
const since = () => hall.test.database.query("SELECT metadata_count, since_block FROM nft_documents");

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

describe("a reorganisation", () => {
  it("drops what was read above the ancestor, and has it read again, but for tokens that it takes with it", async () => {
    await stage.say(speaker, 0, 1, painted("red"));
    const first = await hall.index();
    await hall.mint(speaker, [0, 1], first);
    await hall.queue();
    await hall.worker(read).drain();
    const snapshot = await stage.chain.rpc<string>("evm_snapshot");
    await stage.say(speaker, 1, 2, painted("blue"));
    const second = await hall.index();
    await hall.mint(speaker, [2], second);
    await hall.announce(speaker, 1, 1, second);
    await hall.queue();
    await hall.worker(read).drain();
    expect(await colours()).toEqual([
      { value: "blue", tokens: 2 },
      { value: "red", tokens: 1 },
    ]);
    await stage.chain.rpc("evm_revert", [snapshot]);
    await stage.say(speaker, 1, 1, painted("green"));
    await hall.takeBackTo(first);
    expect(await colours()).toEqual([{ value: "red", tokens: 1 }]);
    expect((await hall.waiting()).map(({ token_id }) => token_id)).toEqual(["1"]);
    expect(await since()).toEqual([{ metadata_count: 1, since_block: first }]);
    const head = await hall.index();
    await hall.queue();
    await hall.worker(read).drain();
    expect((await hall.kept()).map(({ token_id, name, read_at_block }) => [token_id, name, read_at_block])).toEqual([
      ["0", "red", first],
      ["1", "green", head],
    ]);
  });

  it("below the first document leaves nothing of the collection", async () => {
    await stage.say(speaker, 0, 1, painted("red"));
    const head = await hall.index();
    await hall.mint(speaker, [0, 1], head);
    await hall.queue();
    await hall.worker(read).drain();
    expect(await since()).toEqual([{ metadata_count: 2, since_block: head }]);
    await hall.takeBackTo(head - 1);
    expect([await since(), await colours(), await hall.waiting(), await hall.kept()]).toEqual([[], [], [], []]);
  });

  it("forgets what contracts said above the ancestor, while it is being fetched", async () => {
    await stage.chain.mine();
    const ancestor = await hall.index();
    await hall.mint(speaker, [7], ancestor, standards.erc1155);
    await stage.say(speaker, 7, 7, "https://old.example/{id}");
    await hall.index();
    await hall.queue();
    let answer: (outcome: DocumentOutcome) => void = () => undefined;
    const world = createWorld({
      "https://old.example/": () => new Promise((resolve) => (answer = resolve)),
      "https://new.example/": () => ({ ok: true, document: documentOf('{"name":"new"}') }),
    });
    const draining = hall.worker(world.read).drain();
    await until("The fetch", () => world.asked.length === 1);
    await hall.takeBackTo(ancestor);
    await stage.say(speaker, 7, 7, "https://new.example/{id}");
    await hall.index();
    answer({ ok: true, document: documentOf('{"name":"old"}') });
    await draining;
    // Whoever asked between the two branches was told of no address.
    expect((await hall.kept()).filter(({ name }) => name === "old")).toEqual([]);
    await hall.announce(speaker, 7, 7, await stage.chain.head());
    await hall.queue();
    await hall.worker(world.read).drain();
    expect(await hall.kept()).toMatchObject([{ name: "new" }]);
  });

  it("beside workers that keep what they read leaves nothing that is not of the index, whoever is first", async () => {
    await stage.say(speaker, 0, 399, painted("red"));
    const ancestor = await hall.index();
    await hall.mint(
      speaker,
      Array.from({ length: 400 }, (_, id) => id),
      ancestor,
    );
    await hall.queue();
    for (let round = 0; round < 4; round += 1) {
      await stage.chain.mine();
      await hall.index();
      const workers = Promise.all([hall.worker(read).drain(), hall.worker(read).drain()]);
      await new Promise((resolve) => setTimeout(resolve, 40 * round));
      await hall.takeBackTo(ancestor);
      await workers;
      const kept = await hall.kept();
      expect(kept.every(({ read_at_block }) => read_at_block <= ancestor)).toBe(true);
      expect(kept.length + (await hall.waiting()).length).toBe(400);
    }
  });
});
