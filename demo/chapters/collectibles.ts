import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprovalForAll, encodeApprove, encodeTransferFrom } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import { openEditions } from "./collectible-editions.ts";
import type { People } from "./people.ts";

/** The NFT collections. */
export interface Collectibles {
  /** ERC-721, metadata on the chain. */
  readonly art: Address;
  /** ERC-1155, metadata on the chain. */
  readonly editions: Address;
  /** ERC-721 as the published preset makes it. */
  readonly passes: Address;
  /** ERC-1155 as the published preset makes it, with EIP-1155's {id} in its one URI. */
  readonly badges: Address;
  /** One of the art's ids, kept by the collector. */
  readonly artTokenId: bigint;
}

const passUri = `data:application/json,${encodeURIComponent('{"name":"Quarry Pass","attributes":[{"trait_type":"Kind","value":"Visitor"}]}')}#`;
const collectorsArt = 8;

/** Who owns which id of an ERC-721 collection, so that only owners send; ids are counted as its contract counts them. */
const createGallery = (stage: ChapterContext, collection: Address, issuer: Address, firstId: bigint) => {
  const owners = new Map<bigint, Address>();
  let nextId = firstId;
  const { abi } = stage.artifacts.artCollection;
  return {
    collection,
    owners,
    mint: (to: Address): Call => {
      owners.set(nextId, to);
      nextId += 1n;
      return { from: issuer, to: collection, data: encode(abi, "mint", [to]), gas: 250_000 };
    },
    burn: (id: bigint, from: Address): Call => {
      owners.delete(id);
      return { from, to: collection, data: encode(abi, "burn", [id]), gas: 120_000 };
    },
    /** All ids but those of this owner. */
    idsWithout: (kept: Address): bigint[] => [...owners].filter(([, owner]) => owner !== kept).map(([id]) => id),
  };
};

/** The collections, and on each day mints, transfers, approvals and burns. */
export const openCollectibles = async (stage: ChapterContext, people: People): Promise<{ collectibles: Collectibles; scene: Scene }> => {
  const { artifacts } = stage;
  const { deployer, collector, trader } = people;
  const art = await stage.deploy(deployer, artifacts.artCollection);
  const passes = await stage.deploy(deployer, artifacts.presetNft, ["Quarry Pass", "QPASS", passUri]);
  const random = stage.random("collectibles");
  const gallery = createGallery(stage, art, deployer, 1n);
  const passBook = createGallery(stage, passes, deployer, 0n);
  const { editions, badges, scene: editionsScene } = await openEditions(stage, people);
  await stage.play([
    ...Array.from({ length: collectorsArt }, () => gallery.mint(collector)),
    ...Array.from({ length: 4 }, () => gallery.mint(trader)),
    ...people.dealers.slice(0, 20).map((dealer) => gallery.mint(dealer)),
    passBook.mint(collector),
    passBook.mint(trader),
  ]);

  const act = (day: number): Call[] => {
    const active = people.active(day);
    const kind = random.below(14);
    if (kind < 4) return [gallery.mint(random.pick([...active, trader, collector]))];
    if (kind < 5) return [passBook.mint(random.pick(active))];
    const book = kind === 5 ? passBook : gallery;
    const ids = book.idsWithout(collector);
    const id = random.pick(ids);
    const owner = book.owners.get(id) as Address;
    const { collection } = book;
    if (kind === 6) return [{ from: owner, to: collection, data: encodeApprove(random.pick(people.dealers), id), gas: 90_000 }];
    if (kind === 7) {
      const operator = random.pick(people.dealers.filter((dealer) => dealer !== owner));
      return [{ from: owner, to: collection, data: encodeApprovalForAll(operator, random.chance(2)), gas: 90_000 }];
    }
    if (kind === 8 && random.chance(3)) return [book.burn(id, owner)];
    const to = random.chance(12) ? trader : random.pick(active);
    book.owners.set(id, to);
    return [{ from: owner, to: collection, data: encodeTransferFrom(owner, to, id), gas: 150_000 }];
  };
  const scene: Scene = async (day) => [...Array.from({ length: stage.scaled(18) }, () => act(day)).flat(), ...(await editionsScene(day))];
  return { collectibles: { art, editions, passes, badges, artTokenId: BigInt(collectorsArt - 1) }, scene };
};
