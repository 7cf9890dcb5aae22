import { type Address, type Hex, toHex } from "viem";
import type { TestChain } from "../chain.ts";
import { compileOddities } from "./compile.ts";
import { createTeller } from "./story-builder.ts";
import {
  coinTokens,
  openCoins,
  type People,
  type StoryToken,
  tellCrowdedBlock,
  tellHonestCoins,
  tellMisleadingCoins,
  tellOverflows,
  tellShouts,
} from "./story-coins.ts";
import { collectionTokens, openCollections, storyIds, tellCollections } from "./story-collections.ts";
import { tellGhosts, tellNames } from "./story-names.ts";
import { tellBlob, tellPersonalCoin, tellPrices } from "./story-transactions.ts";
import { openValues, sink, tellCalls, tellEnds } from "./story-values.ts";
import type { WithdrawingNode } from "./withdrawals.ts";

/** What a told story leaves to those who compare. */
export interface OddStory {
  readonly people: People;
  readonly tokens: readonly StoryToken[];
  readonly ids: readonly bigint[];
  readonly wrappedNative: Address;
  /** After the first round, in the middle of the story: every token has moved, and will again. */
  readonly middle: number;
  readonly head: number;
}

const rounds = 3;

/** Genesis gives these something beside the node's own accounts: one is never touched again, one pays a contract's way, one is a contract. */
const genesisAccounts = { untouched: sink(100), paid: sink(101) } as const;

/** What a chain is told of: later forks and withdrawals where it has them. */
export interface Telling {
  readonly chainId: number;
  /** Blob transactions (EIP-4844) and accounts with code (EIP-7702). */
  readonly prague: boolean;
  readonly withdrawing: WithdrawingNode | null;
}

/** Tells a chain the whole story of oddities. */
export async function tellOddities(chain: TestChain, { chainId, prague, withdrawing }: Telling): Promise<OddStory> {
  const teller = createTeller(chain, await compileOddities());
  const [owner, alice, bob, carol, victim, miner] = chain.accounts.map((address) => address.toLowerCase()) as [
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
  ];
  const people: People = { owner, alice, bob, carol, victim };
  await chain.rpc("anvil_setCoinbase", [miner]);
  const coins = await openCoins(teller);
  const collections = await openCollections(teller);
  const values = await openValues(teller);
  let middle = 0;
  const tokens: StoryToken[] = [...coinTokens(coins), ...collectionTokens(collections)];
  for (let round = 0; round < rounds; round += 1) {
    if (round === 1) {
      tokens.push(...(await tellNames(teller, people)));
      middle = await chain.head();
    }
    await tellHonestCoins(teller, coins, people, round);
    await tellMisleadingCoins(teller, coins, people, round);
    await tellCollections(teller, collections, people, round);
    await tellPrices(teller, people, miner);
    await withdrawing?.withdraw(
      { address: alice, gwei: 5n },
      { address: sink(30), gwei: 7n },
      { address: alice, gwei: 6n },
      { address: alice, gwei: 5n },
    );
    await tellCalls(teller, values, people);
    // A contract as miner: tips reach it without any of its code running.
    await chain.rpc("anvil_setCoinbase", [round === 1 ? values.mover.address : miner]);
  }
  await tellCrowdedBlock(teller, coins, people);
  await tellShouts(teller, coins, people);
  const largest = await tellOverflows(teller, coins, people);
  tokens.push({ name: "largest", address: largest.address, kind: "erc20", truth: "events" });
  await tellEnds(teller, values, people);
  tokens.push(...(await tellGhosts(teller, people, { address: coins.mortal.address, die: coins.mortal.call("die", sink(16)).data })));
  // EIP-6780 leaves the code where it is, and the coin its balances.
  tokens.push({ name: "mortal", address: coins.mortal.address, kind: "erc20", truth: prague ? "events" : "gone" });
  if (prague) {
    await tellBlob(teller, chainId, 6);
    tokens.push(await tellPersonalCoin(teller, chainId, 7, await teller.deploy("PersonalCoin"), people));
  }
  await teller.block({ from: alice, to: genesisAccounts.paid, value: 52n, gas: 60_000n });
  await withdrawing?.withdraw({ address: sink(30), gwei: 1n }, { address: bob, gwei: 2n });
  await chain.mine();
  return { people, tokens, ids: storyIds(rounds), wrappedNative: coins.wrapped.address, middle, head: await chain.head() };
}

/** A genesis file with what the story's genesis gives. */
export const genesisFile = (chainId: number): string =>
  JSON.stringify({
    config: { chainId },
    alloc: {
      [genesisAccounts.untouched]: { balance: toHex(123_456_789n) },
      [genesisAccounts.paid]: { balance: toHex(987_654_321n) },
    } satisfies Record<string, { balance: Hex }>,
    difficulty: "0x0",
    gasLimit: toHex(30_000_000),
    timestamp: toHex(1_700_000_000),
    baseFeePerGas: toHex(1_000_000_000),
  });
