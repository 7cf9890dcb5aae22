import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprovalForAll, encodeApprove, encodeTransferFrom } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import { createPlantBook, type Garden, type PlantBook } from "./garden-types.ts";
import type { People } from "./people.ts";

const plants = 2_000;
const plantsPerCall = 50;
/** Planted before the days begin. */
const firstCalls = 4;
/** From this day on the rest is planted, day by day; the node processes all contract storage for each block, so late storage makes the build faster. */
const firstPlantingDay = 20;

/** The owners of the first plants, by id; the rest goes to random owners. */
const firstOwners = ({ washTraders, collector, trader, gardener }: People): readonly Address[] => [
  ...[washTraders[0], washTraders[0], collector, collector, collector, collector, trader, trader, trader, trader],
  ...Array.from({ length: gardenersFirst }, () => gardener),
];
const gardenersFirst = 20;
const keptId = 3n;
const tradedId = 11n;

/** The first approvals of the collector and the trader: granted, used and revoked. */
const approveFirst = (garden: Garden, { collector, trader, dealers }: People, book: PlantBook): readonly Call[] => {
  const [first, second, third] = dealers as readonly [Address, Address, Address];
  const to = garden.address;
  const single = (from: Address, spender: Address, id: bigint): Call => ({ from, to, data: encodeApprove(spender, id), gas: 90_000 });
  const all = (from: Address, operator: Address, approved: boolean): Call => ({
    from,
    to,
    data: encodeApprovalForAll(operator, approved),
    gas: 90_000,
  });
  const take = (spender: Address, from: Address, id: bigint): Call => {
    book.move(id, spender);
    return { from: spender, to, data: encodeTransferFrom(from, spender, id), gas: 150_000 };
  };
  return [
    single(collector, first, keptId),
    single(collector, second, 4n),
    single(collector, "0x0000000000000000000000000000000000000000", 4n),
    single(collector, third, 5n),
    take(third, collector, 5n),
    all(collector, first, true),
    all(collector, second, true),
    all(collector, second, false),
    single(trader, second, 8n),
    single(trader, first, 9n),
    take(first, trader, 9n),
    all(trader, third, true),
    all(trader, first, true),
    take(first, trader, 10n),
    all(trader, first, false),
  ];
};

/** Two thousand plants, planted over the days, and on each day transfers, approvals and occasional burns. */
export const openGarden = async (stage: ChapterContext, people: People): Promise<{ garden: Garden; scene: Scene }> => {
  const { artifacts } = stage;
  const { abi } = artifacts.gardenCollection;
  const address = await stage.deploy(people.deployer, artifacts.gardenCollection);
  const random = stage.random("garden");
  const book = createPlantBook([people.collector, people.gardener, ...people.washTraders]);
  let planted = 0n;
  const plant = (owners: readonly Address[]): Call => {
    for (const owner of owners) {
      planted += 1n;
      book.add(planted, owner);
    }
    return { from: people.deployer, to: address, data: encode(abi, "plant", [owners]), gas: 100_000 + owners.length * 60_000 };
  };
  const garden: Garden = { address, book, keptId, tradedId, plant };
  book.reserve(keptId, 4n, 8n, tradedId);

  const sizes = Array.from({ length: Math.ceil(stage.scaled(plants) / plantsPerCall) }, (_, index) =>
    Math.min(plantsPerCall, stage.scaled(plants) - index * plantsPerCall),
  );
  const anybody = (day: number): Address => {
    const luck = random.below(40);
    if (luck < 2) return people.gardener;
    return luck === 2 ? people.trader : luck === 3 ? people.collector : random.pick(people.active(day));
  };
  const batch = (day: number, known: readonly Address[] = []): readonly Call[] => {
    const size = sizes.shift();
    return size === undefined ? [] : [plant(Array.from({ length: size }, (_, index) => known[index] ?? anybody(day)))];
  };
  await stage.play([
    ...batch(0, firstOwners(people)),
    ...Array.from({ length: firstCalls - 1 }, () => batch(0)).flat(),
    ...approveFirst(garden, people, book),
  ]);

  const act = (day: number): readonly Call[] => {
    const id = book.pick(random);
    const owner = book.ownerOf(id);
    const receiver = random.pick(people.active(day));
    const kind = random.below(12);
    if (kind === 0) return [{ from: owner, to: address, data: encodeApprove(random.pick(people.dealers), id), gas: 90_000 }];
    if (kind === 1) {
      const operator = random.pick(people.dealers.filter((dealer) => dealer !== owner));
      const granted = { from: owner, to: address, data: encodeApprovalForAll(operator, true), gas: 90_000 };
      return random.chance(2) ? [granted] : [granted, { ...granted, data: encodeApprovalForAll(operator, false) }];
    }
    if (kind === 2) {
      const spender = random.pick(people.dealers.filter((dealer) => dealer !== owner));
      book.move(id, receiver);
      return [
        { from: owner, to: address, data: encodeApprove(spender, id), gas: 90_000 },
        { from: spender, to: address, data: encodeTransferFrom(owner, receiver, id), gas: 150_000 },
      ];
    }
    if (kind === 3 && random.chance(4)) {
      book.remove(id);
      return [{ from: owner, to: address, data: encode(abi, "uproot", [id]), gas: 120_000 }];
    }
    const to = random.chance(20) ? people.collector : receiver;
    book.move(id, to);
    return [{ from: owner, to: address, data: encodeTransferFrom(owner, to, id), gas: 150_000 }];
  };
  return {
    garden,
    scene: (day) => [...(day < firstPlantingDay ? [] : batch(day)), ...Array.from({ length: stage.scaled(4) }, () => act(day)).flat()],
  };
};
