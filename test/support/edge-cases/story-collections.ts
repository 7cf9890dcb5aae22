import { maxUint256, zeroAddress } from "viem";
import type { Deployed, StoryBuilder } from "./story-builder.ts";
import type { Accounts, StoryToken } from "./story-coins.ts";

/** Collections that predate the standards, and the standards' edge cases. */
export interface Collections {
  readonly oldArt: Deployed;
  readonly editions: Deployed;
  readonly hybrid: Deployed;
}

/** Deploys the collections. */
export const deployCollections = async (builder: StoryBuilder): Promise<Collections> => ({
  oldArt: await builder.deploy("UnindexedArt"),
  editions: await builder.deploy("UncheckedEditions"),
  hybrid: await builder.deploy("Hybrid"),
});

/** Lists the collections; the hybrid is listed as a coin and as a collection. */
export const collectionTokens = ({ oldArt, editions, hybrid }: Collections): StoryToken[] => [
  { name: "oldArt", address: oldArt.address, kind: "erc721", balanceSource: "events" },
  { name: "editions", address: editions.address, kind: "erc1155", balanceSource: "events" },
  { name: "hybrid", address: hybrid.address, kind: "erc20", balanceSource: "events" },
  { name: "hybrid's art", address: hybrid.address, kind: "erc721", balanceSource: "events" },
];

/** The story's token ids. */
export const storyIds = (rounds: number): bigint[] => [
  ...Array.from({ length: rounds }, (_, round) => [BigInt(2 * round), BigInt(2 * round + 1)]).flat(),
  maxUint256,
];

/** Mines one round: two blocks. */
export async function addCollectionTransfers(
  builder: StoryBuilder,
  collections: Collections,
  accounts: Accounts,
  round: number,
): Promise<void> {
  const { oldArt, editions, hybrid } = collections;
  const { alice, bob, carol } = accounts;
  const [first, second] = [BigInt(2 * round), BigInt(2 * round + 1)];
  const batch = (from: string, to: string, ids: readonly bigint[], values: readonly bigint[]) =>
    editions.call("moveBatch", from, to, ids, values);
  await builder.mineBlock(
    oldArt.call("mint", alice, first),
    oldArt.call("mint", alice, second),
    editions.call("move", zeroAddress, alice, first, 50n),
    batch(zeroAddress, alice, [first, second, first], [5n, 6n, 7n]),
    batch(zeroAddress, carol, [], []),
    batch(alice, bob, [], []),
    hybrid.call("moveCoins", zeroAddress, alice, 10n ** 18n),
    hybrid.call("moveArt", alice, first),
    hybrid.call("moveArt", alice, second),
    ...(round === 0 ? [editions.call("move", zeroAddress, bob, maxUint256, maxUint256), oldArt.call("mint", bob, maxUint256)] : []),
  );
  await builder.mineBlock(
    { from: alice, ...oldArt.call("transfer", bob, first) },
    { from: alice, ...oldArt.call("transfer", alice, second) },
    // A repeated id in a batch to the sender itself changes no balance.
    batch(alice, alice, [first, first], [9n, 4n]),
    batch(alice, bob, [first, second, first, first], [1n, 2n, 3n, 0n]),
    batch(bob, zeroAddress, [first], [1n]),
    editions.call("move", alice, alice, first, 1n),
    hybrid.call("moveCoins", alice, bob, 3n),
    hybrid.call("moveArt", bob, first),
    hybrid.call("moveArt", bob, second),
    hybrid.call("moveArt", zeroAddress, second),
  );
  if (round === 1) await builder.mineBlock(oldArt.call("burn", 0n), editions.call("move", bob, zeroAddress, maxUint256, maxUint256));
}
