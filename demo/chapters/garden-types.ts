import type { Address } from "../../runtime/lib/hex.ts";
import type { Random } from "../story/random.ts";
import type { Call } from "../story/types.ts";

/** The owners of plants during the story, so that only owners transfer, sell and approve. */
export interface PlantRegistry {
  /** Owners by token id; null for an uprooted plant. */
  readonly owners: ReadonlyMap<bigint, Address | null>;
  /** The plants that this owner may transfer. */
  transferableIdsOf(owner: Address): readonly bigint[];
  /** A random transferable plant of an owner without a fixed role. */
  pick(random: Random): bigint;
  ownerOf(id: bigint): Address;
  move(id: bigint, to: Address): void;
  remove(id: bigint): void;
  /** Excludes a plant from random transfers. */
  reserve(...ids: readonly bigint[]): void;
  release(...ids: readonly bigint[]): void;
}

/** The story's large ERC-721 collection. */
export interface Garden {
  readonly address: Address;
  readonly registry: PlantRegistry;
  /** Owned by the collector, never sold or transferred. */
  readonly keptId: bigint;
  /** Resold several times between a few accounts. */
  readonly tradedId: bigint;
  /** Mints one plant for each owner. */
  plant(owners: readonly Address[]): Call;
}

/** Creates an empty registry. Plants of the excluded owners are never picked at random. */
export const createPlantRegistry = (excluded: readonly Address[]): PlantRegistry & { add(id: bigint, owner: Address): void } => {
  const owners = new Map<bigint, Address | null>();
  const reserved = new Set<bigint>();
  return {
    owners,
    transferableIdsOf: (owner) => [...owners].filter(([id, current]) => current === owner && !reserved.has(id)).map(([id]) => id),
    pick: (random) =>
      random.pick([...owners].filter(([id, owner]) => owner !== null && !(reserved.has(id) || excluded.includes(owner))).map(([id]) => id)),
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
