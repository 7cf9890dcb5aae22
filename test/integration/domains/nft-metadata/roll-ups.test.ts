import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import type { DocumentOutcome } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { requestRefresh } from "../../../../runtime/domains/nft-metadata/jobs/queue-refreshes.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { countsOf } from "./counting.ts";
import { createWorld, documentOf } from "./documents.ts";
import { chainId, type Hall, openHall, openStage, type Stage } from "./support.ts";

let stage: Stage;
let hall: Hall;
let speakers: readonly [Address, Address];
const random = createRandom("roll-ups");
const most = 40;

interface Trait {
  readonly trait_type: string;
  readonly value: string | number | null;
}
/** What the metadata of each token says now, by its address; null where its host refuses. */
const said = new Map<string, readonly Trait[] | null>();

const draw = (): readonly Trait[] | null =>
  random.between(0, 6) === 0
    ? null
    : Array.from({ length: random.between(0, 5) }, () => ({
        trait_type: random.pick(["Hat", "hat", "Level", "Mood", "x".repeat(300)]),
        value: random.pick(["blue", "Blue", null, random.between(1, 4), "3", "y".repeat(400), ""]),
      }));

beforeAll(async () => {
  stage = await openStage();
  speakers = [await stage.deploySpeaker(), await stage.deploySpeaker()];
  for (const speaker of speakers) await stage.say(speaker, 0, most - 1, `https://${speaker}.example/{id}`);
});
beforeEach(async () => {
  hall = await openHall(stage);
});
afterEach(() => hall.test.drop());
afterAll(() => stage.stop());

const world = createWorld({
  "https://": (url): DocumentOutcome => {
    const attributes = said.get(url);
    if (attributes === null || attributes === undefined) return { ok: false, refusal: "Gone.", isLasting: true };
    return { ok: true, document: documentOf(JSON.stringify({ attributes })) };
  },
});
const addressOf = (speaker: Address, id: number): string => `https://${speaker}.example/${id.toString(16).padStart(64, "0")}`;

/** Counted from the documents: tokens by trait and value, as they are cut. */
const expected = (speaker: Address) => {
  const values = new Map<string, Set<number>>();
  let documents = 0;
  for (let id = 0; id < most; id += 1) {
    const traits = said.get(addressOf(speaker, id)) ?? null;
    if (traits !== null) documents += 1;
    for (const { trait_type: trait, value } of traits ?? []) {
      if (value === null) continue;
      const key = JSON.stringify([trait.slice(0, 256), String(value).slice(0, 256)]);
      values.set(key, (values.get(key) ?? new Set()).add(id));
    }
  }
  return { documents, values: Object.fromEntries([...values].map(([key, tokens]) => [key, tokens.size]).sort()) };
};
const actual = async (speaker: Address) => {
  const token = [chainId, speaker.slice(2)];
  const rows = await hall.test.database.query<{ trait: string; value: string; tokens: number }>(
    "SELECT trait, value, tokens FROM nft_trait_values WHERE chain_id = $1 AND token = decode($2, 'hex')",
    token,
  );
  const [row] = await hall.test.database.query<{ metadata_count: number; refused_count: number }>(
    "SELECT metadata_count, refused_count FROM nft_documents WHERE chain_id = $1 AND token = decode($2, 'hex')",
    token,
  );
  expect((row?.metadata_count ?? 0) + (row?.refused_count ?? 0)).toBe(most);
  return {
    documents: row?.metadata_count ?? 0,
    values: Object.fromEntries(rows.map(({ trait, value, tokens }) => [JSON.stringify([trait, value]), tokens]).sort()),
  };
};
/** Reads what waits, by two workers at once. */
const readAll = () => Promise.all([hall.worker(world.read).drain(), hall.worker(world.read).drain()]);

describe("the sums of what metadata says", () => {
  it("are those of the documents, however often tokens are read anew and by however many, and nothing is left of what is gone", async () => {
    const head = await hall.index();
    for (const speaker of speakers) {
      for (let id = 0; id < most; id += 1) said.set(addressOf(speaker, id), draw());
      await hall.mint(
        speaker,
        Array.from({ length: most }, (_, id) => id),
        head,
        standards.erc1155,
      );
    }
    await hall.queue();
    for (let round = 0; round < 8; round += 1) {
      await readAll();
      for (const speaker of speakers) expect(await actual(speaker), `round ${round}`).toEqual(expected(speaker));
      const { standing, counted } = await countsOf(hall.test.database);
      expect(standing).toEqual(counted);
      for (let change = random.between(1, 50); change > 0; change -= 1) {
        const [speaker, id] = [random.pick(speakers), random.between(0, most - 1)];
        said.set(addressOf(speaker, id), draw());
        await hall.test.database.transaction((client) => requestRefresh(client, chainId, speaker, String(id)));
      }
      await hall.queue();
    }
    await hall.takeBackTo(head - 1);
    const { standing } = await countsOf(hall.test.database);
    expect(standing).toEqual({ values: [], traits: [], documents: [] });
  });

  it("keep the block of a collection's first document while it has any", async () => {
    const [speaker] = speakers;
    said.set(addressOf(speaker, 0), []);
    const first = await hall.index();
    await hall.mint(speaker, [0], first, standards.erc1155);
    await hall.queue();
    await readAll();
    const since = async () => (await hall.test.database.query<{ since_block: number | null }>("SELECT since_block FROM nft_documents"))[0];
    const again = async () => {
      await stage.chain.mine();
      await hall.index();
      await hall.test.database.transaction((client) => requestRefresh(client, chainId, speaker, "0"));
      await hall.queue();
      await readAll();
    };
    await again();
    expect((await hall.kept())[0]?.read_at_block).toBe(first + 1);
    expect(await since()).toEqual({ since_block: first });
    said.set(addressOf(speaker, 0), null);
    await again();
    expect(await since()).toEqual({ since_block: null });
    said.set(addressOf(speaker, 0), []);
    await again();
    expect(await since()).toEqual({ since_block: first + 3 });
  });
});
