import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprovalForAll, encodeApprove, encodeTransferFrom } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { setUpEditions } from "./collectible-editions.ts";

/** The NFT collections. */
export interface Collectibles {
  /** ERC-721, with metadata on the chain. */
  readonly art: Address;
  /** ERC-1155, with metadata on the chain. */
  readonly editions: Address;
  /** OpenZeppelin's ERC-721 preset. */
  readonly passes: Address;
  /** OpenZeppelin's ERC-1155 preset, with EIP-1155's {id} placeholder in its URI. */
  readonly badges: Address;
  /** An id of the art collection that the collector owns throughout. */
  readonly artTokenId: bigint;
}

const passUri = `data:application/json,${encodeURIComponent('{"name":"Quarry Pass","attributes":[{"trait_type":"Kind","value":"Visitor"}]}')}#`;
const collectorArtCount = 8;

/** Tracks the owners of an ERC-721 collection, so that only owners transfer. Ids count up as in its contract. */
const trackCollection = (context: StoryContext, address: Address, issuer: Address, firstId: bigint) => {
  const owners = new Map<bigint, Address>();
  let nextId = firstId;
  const { abi } = context.artifacts.artCollection;
  return {
    address,
    owners,
    mint: (to: Address): Call => {
      owners.set(nextId, to);
      nextId += 1n;
      return { from: issuer, to: address, data: encode(abi, "mint", [to]), gas: 250_000 };
    },
    burn: (id: bigint, from: Address): Call => {
      owners.delete(id);
      return { from, to: address, data: encode(abi, "burn", [id]), gas: 120_000 };
    },
    /** Returns the ids that other accounts own. */
    idsNotOwnedBy: (excluded: Address): bigint[] => [...owners].filter(([, owner]) => owner !== excluded).map(([id]) => id),
  };
};

/** Deploys the collections. Each day has mints, transfers, approvals and burns. */
export const setUpCollectibles = async (
  context: StoryContext,
  accounts: Accounts,
): Promise<{ collectibles: Collectibles; dailyCalls: DailyCalls }> => {
  const { artifacts } = context;
  const { deployer, collector, trader } = accounts;
  const art = trackCollection(context, await context.deploy(deployer, artifacts.artCollection), deployer, 1n);
  const passes = trackCollection(
    context,
    await context.deploy(deployer, artifacts.presetNft, ["Quarry Pass", "QPASS", passUri]),
    deployer,
    0n,
  );
  const random = context.createRandom("collectibles");
  const { editions, badges, dailyCalls: editionsCalls } = await setUpEditions(context, accounts);
  await context.mine([
    ...Array.from({ length: collectorArtCount }, () => art.mint(collector)),
    ...Array.from({ length: 4 }, () => art.mint(trader)),
    ...accounts.dealers.slice(0, 20).map((dealer) => art.mint(dealer)),
    passes.mint(collector),
    passes.mint(trader),
  ]);

  const randomAction = (day: number): Call[] => {
    const active = accounts.activeUsers(day);
    const kind = random.below(14);
    if (kind < 4) return [art.mint(random.pick([...active, trader, collector]))];
    if (kind < 5) return [passes.mint(random.pick(active))];
    const collection = kind === 5 ? passes : art;
    const ids = collection.idsNotOwnedBy(collector);
    const id = random.pick(ids);
    const owner = collection.owners.get(id) as Address;
    if (kind === 6) return [{ from: owner, to: collection.address, data: encodeApprove(random.pick(accounts.dealers), id), gas: 90_000 }];
    if (kind === 7) {
      const operator = random.pick(accounts.dealers.filter((dealer) => dealer !== owner));
      return [{ from: owner, to: collection.address, data: encodeApprovalForAll(operator, random.oneIn(2)), gas: 90_000 }];
    }
    if (kind === 8 && random.oneIn(3)) return [collection.burn(id, owner)];
    const to = random.oneIn(12) ? trader : random.pick(active);
    collection.owners.set(id, to);
    return [{ from: owner, to: collection.address, data: encodeTransferFrom(owner, to, id), gas: 150_000 }];
  };
  const dailyCalls: DailyCalls = async (day) => [
    ...Array.from({ length: context.scaled(18) }, () => randomAction(day)).flat(),
    ...(await editionsCalls(day)),
  ];
  return {
    collectibles: { art: art.address, editions, passes: passes.address, badges, artTokenId: BigInt(collectorArtCount - 1) },
    dailyCalls,
  };
};
