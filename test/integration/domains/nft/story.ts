import { type Address, type Hex, toHex, zeroAddress } from "viem";
import { type Artifact, artifacts, encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { compileEdgeCases } from "../../../support/edge-cases/compile.ts";
import { createStoryBuilder, type Deployed } from "../../../support/edge-cases/story-builder.ts";

/** A chain with every kind of collection, whose node has the state of every block. */
export interface NftStory {
  readonly chain: TestChain;
  /** ERC-721. */
  readonly art: Deployed;
  /** A collection that predates ERC-721. */
  readonly oldArt: Deployed;
  /** ERC-1155. */
  readonly editions: Deployed;
  /** Both ERC-20 and ERC-721. */
  readonly hybrid: Deployed;
  readonly accounts: { readonly alice: Address; readonly bob: Address; readonly carol: Address };
  /** The last block before a pause of two days; the blocks after it span a few hours at most. */
  readonly dayAgo: number;
  readonly ids: readonly bigint[];
  readonly editionIds: readonly bigint[];
  /** Returns ownerOf() for every id of an ERC-721 collection after a block; the zero address for a nonexistent id. */
  ownersAt(collection: Deployed, height: number): Promise<Map<bigint, Address>>;
  /** Returns the ERC-1155 balances after a block, by "owner id". */
  editionsAt(height: number): Promise<Map<string, bigint>>;
  timeOf(height: number): Promise<number>;
}

export const editionKey = (owner: Address, id: bigint): string => `${owner} ${id}`;

const pauseSeconds = 2 * 86_400;
const maxTokenId = 2n ** 256n - 1n;

/** Mines the story's transactions on a new chain. */
export async function buildNftStory(): Promise<NftStory> {
  const chain = await startTestChain();
  const builder = createStoryBuilder(chain, await compileEdgeCases());
  const [, alice, bob, carol] = chain.accounts.map((address) => address.toLowerCase()) as [Address, Address, Address, Address];
  const artArtifact: Artifact = artifacts.erc721();
  const artAddress = (await chain.deploy(artArtifact, ["Art", "ART", "ipfs://art/"])).toLowerCase() as Address;
  const art: Deployed = { address: artAddress, call: (name, ...parameters) => encodeCall(artArtifact, artAddress, name, parameters) };
  const [oldArt, editions, hybrid] = [
    await builder.deploy("UnindexedArt"),
    await builder.deploy("UncheckedEditions"),
    await builder.deploy("Hybrid"),
  ];
  const move = (from: Address, to: Address, id: bigint, value: bigint) => editions.call("move", from, to, id, value);
  const moveMany = (from: Address, to: Address, ids: readonly bigint[], values: readonly bigint[]) =>
    editions.call("moveBatch", from, to, ids, values);
  const transfer = (from: Address, to: Address, id: bigint) => ({ from, ...art.call("transferFrom", from, to, id) });

  await builder.mineBlock(art.call("mint", alice), art.call("mint", alice), art.call("mint", bob), oldArt.call("mint", alice, 1n));
  await builder.mineBlock(
    oldArt.call("mint", bob, maxTokenId),
    moveMany(zeroAddress, alice, [1n, 2n, 1n], [5n, 6n, 7n]),
    move(zeroAddress, bob, maxTokenId, 10n ** 30n),
    hybrid.call("moveCoins", zeroAddress, alice, 10n ** 18n),
    hybrid.call("moveArt", alice, 1n),
    hybrid.call("moveArt", bob, 2n),
  );
  // These move nothing: an empty batch, zero units of an id that was never minted, and zero units of one that was.
  await builder.mineBlock(moveMany(alice, bob, [], []), move(carol, bob, 777n, 0n), moveMany(zeroAddress, carol, [1n, 778n], [0n, 0n]));
  await builder.mineBlock(
    transfer(alice, bob, 0n),
    { from: alice, ...oldArt.call("transfer", carol, 1n) },
    moveMany(alice, bob, [1n, 2n, 1n], [1n, 2n, 3n]),
  );
  const dayAgo = await chain.head();
  await chain.mine((await timeAt(chain, dayAgo)) + pauseSeconds);
  await builder.mineBlock(
    { from: bob, ...art.call("burn", 2n) },
    oldArt.call("burn", maxTokenId),
    move(bob, zeroAddress, maxTokenId, 10n ** 30n),
  );
  // A transfer to its own sender, and two transfers of one id in one block.
  await builder.mineBlock(
    transfer(bob, carol, 0n),
    transfer(carol, alice, 0n),
    transfer(alice, alice, 1n),
    hybrid.call("moveArt", zeroAddress, 2n),
  );
  await builder.mineBlock(
    art.call("mint", carol),
    oldArt.call("mint", carol, maxTokenId),
    move(zeroAddress, carol, 3n, 4n),
    move(carol, alice, 3n, 4n),
  );
  await builder.mineBlock(hybrid.call("moveCoins", alice, bob, 5n), hybrid.call("moveArt", carol, 1n), move(alice, alice, 2n, 1n));

  const ids = [0n, 1n, 2n, 3n, 4n, maxTokenId];
  const editionIds = [1n, 2n, 3n, 777n, 778n, maxTokenId];
  const contractCall = (to: Address, data: Hex, height: number) => ({ method: "eth_call", params: [{ to, data }, toHex(height)] });
  /** Returns the word that each call returns; 0 for a call that reverts, as for an id that does not exist. */
  const callAll = async (calls: readonly ReturnType<typeof contractCall>[]): Promise<bigint[]> =>
    Promise.all(
      calls.map(({ method, params }) =>
        chain.rpc<Hex>(method, params).then(
          (word) => BigInt(word === "0x" ? 0 : word),
          () => 0n,
        ),
      ),
    );
  return {
    chain,
    art,
    oldArt,
    editions,
    hybrid,
    accounts: { alice, bob, carol },
    dayAgo,
    ids,
    editionIds,
    ownersAt: async (collection, height) => {
      const values = await callAll(ids.map((id) => contractCall(collection.address, collection.call("ownerOf", id).data, height)));
      return new Map(ids.map((id, position) => [id, toHex(values[position] ?? 0n, { size: 20 })]));
    },
    editionsAt: async (height) => {
      const keys = [alice, bob, carol].flatMap((owner) => editionIds.map((id) => ({ owner, id })));
      const values = await callAll(
        keys.map(({ owner, id }) => contractCall(editions.address, editions.call("balanceOf", owner, id).data, height)),
      );
      return new Map(keys.map(({ owner, id }, position) => [editionKey(owner, id), values[position] ?? 0n]));
    },
    timeOf: (height) => timeAt(chain, height),
  };
}

const timeAt = async (chain: TestChain, height: number): Promise<number> =>
  Number((await chain.rpc<{ timestamp: Hex }>("eth_getBlockByNumber", [toHex(height), false])).timestamp);
