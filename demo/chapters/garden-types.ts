import type { Address } from "../../runtime/lib/hex.ts";
import type { Random } from "../story/random.ts";
import type { Call } from "../story/types.ts";

/** Who has which plant as the story goes, so that only owners send, sell and approve. */
export interface PlantBook {
  /** By token id; null of one that was uprooted. */
  readonly owners: ReadonlyMap<bigint, Address | null>;
  /** The plants that this owner may part with. */
  of(owner: Address): readonly bigint[];
  /** Any plant that may move, of somebody whom the story leaves to chance. */
  pick(random: Random): bigint;
  ownerOf(id: bigint): Address;
  move(id: bigint, to: Address): void;
  remove(id: bigint): void;
  /** Keeps a plant out of chance's hands. */
  reserve(...ids: readonly bigint[]): void;
  release(...ids: readonly bigint[]): void;
}

/** The large collection. */
export interface Garden {
  readonly address: Address;
  readonly book: PlantBook;
  /** The collector's, never sold or given away. */
  readonly keptId: bigint;
  /** Sold again and again between a few of the story's people. */
  readonly tradedId: bigint;
  /** Plants one for each owner. */
  plant(owners: readonly Address[]): Call;
}

/** A book that is empty, with owners out of whose plants chance does not pick. */
export const createPlantBook = (apart: readonly Address[]): PlantBook & { add(id: bigint, owner: Address): void } => {
  const owners = new Map<bigint, Address | null>();
  const reserved = new Set<bigint>();
  return {
    owners,
    of: (owner) => [...owners].filter(([id, held]) => held === owner && !reserved.has(id)).map(([id]) => id),
    pick: (random) =>
      random.pick([...owners].filter(([id, owner]) => owner !== null && !(reserved.has(id) || apart.includes(owner))).map(([id]) => id)),
    ownerOf: (id) => {
      const owner = owners.get(id);
      if (owner === undefined || owner === null) throw new Error(`The garden has no plant ${id}.`);
      return owner;
    },
    add: (id, owner) => {
      owners.set(id, owner);
    },
    move: (id, to) => {
      owners.set(id, to);
    },
    remove: (id) => {
      owners.set(id, null);
    },
    reserve: (...ids) => {
      for (const id of ids) reserved.add(id);
    },
    release: (...ids) => {
      for (const id of ids) reserved.delete(id);
    },
  };
};
