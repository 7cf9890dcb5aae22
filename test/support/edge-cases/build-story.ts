import { type Address, type Hex, toHex } from "viem";
import type { TestChain } from "../chain.ts";
import { compileEdgeCases } from "./compile.ts";
import { addDestroyedTokens, addMetadataCases } from "./metadata-cases.ts";
import { createStoryBuilder } from "./story-builder.ts";
import {
  type Accounts,
  addCrowdedBlock,
  addMalformedLogs,
  addMisleadingCoins,
  addOverflows,
  addStandardCoins,
  coinTokens,
  deployCoins,
  type StoryToken,
} from "./story-coins.ts";
import { addCollectionTransfers, collectionTokens, deployCollections, storyIds } from "./story-collections.ts";
import { addBlobTransaction, addDelegatedAccount, addFeeVariants } from "./story-transactions.ts";
import { addSelfDestructs, addValueTransfers, deployValueContracts, sink } from "./story-values.ts";
import type { WithdrawingNode } from "./withdrawals.ts";

/** A built story's accounts, tokens and heights. */
export interface EdgeCaseStory {
  readonly accounts: Accounts;
  readonly tokens: readonly StoryToken[];
  readonly ids: readonly bigint[];
  readonly wrappedNative: Address;
  /** A height after the first round: every token has transfers before it and after it. */
  readonly middle: number;
  readonly head: number;
}

const rounds = 3;

/** Accounts that the genesis block funds in addition to the node's: one is never touched again, the other receives a payment. */
const genesisAccounts = { untouched: sink(100), paid: sink(101) } as const;

/** The chain's features: its fork, and withdrawals if it has them. */
export interface StoryOptions {
  readonly chainId: number;
  /** Blob transactions (EIP-4844) and accounts with code (EIP-7702). */
  readonly isPrague: boolean;
  readonly withdrawingNode: WithdrawingNode | null;
}

/** Mines all edge cases on a chain. */
export async function buildEdgeCases(chain: TestChain, { chainId, isPrague, withdrawingNode }: StoryOptions): Promise<EdgeCaseStory> {
  const builder = createStoryBuilder(chain, await compileEdgeCases());
  const [owner, alice, bob, carol, victim, miner] = chain.accounts.map((address) => address.toLowerCase()) as [
    Address,
    Address,
    Address,
    Address,
    Address,
    Address,
  ];
  const accounts: Accounts = { owner, alice, bob, carol, victim };
  await chain.rpc("anvil_setCoinbase", [miner]);
  const coins = await deployCoins(builder);
  const collections = await deployCollections(builder);
  const values = await deployValueContracts(builder);
  let middle = 0;
  const tokens: StoryToken[] = [...coinTokens(coins), ...collectionTokens(collections)];
  for (let round = 0; round < rounds; round += 1) {
    if (round === 1) {
      tokens.push(...(await addMetadataCases(builder, accounts)));
      middle = await chain.head();
    }
    await addStandardCoins(builder, coins, accounts, round);
    await addMisleadingCoins(builder, coins, accounts, round);
    await addCollectionTransfers(builder, collections, accounts, round);
    await addFeeVariants(builder, accounts, miner);
    await withdrawingNode?.withdraw(
      { address: alice, gwei: 5n },
      { address: sink(30), gwei: 7n },
      { address: alice, gwei: 6n },
      { address: alice, gwei: 5n },
    );
    await addValueTransfers(builder, values, accounts);
    // In the second round a contract is the fee recipient: priority fees reach it without running its code.
    await chain.rpc("anvil_setCoinbase", [round === 1 ? values.mover.address : miner]);
  }
  await addCrowdedBlock(builder, coins, accounts);
  await addMalformedLogs(builder, coins, accounts);
  const largest = await addOverflows(builder, coins, accounts);
  tokens.push({ name: "largest", address: largest.address, kind: "erc20", balanceSource: "events" });
  await addSelfDestructs(builder, values, accounts);
  tokens.push(
    ...(await addDestroyedTokens(builder, accounts, {
      address: coins.mortal.address,
      destroyData: coins.mortal.call("destroy", sink(16)).data,
    })),
  );
  // Since EIP-6780, the code and the balances remain.
  tokens.push({ name: "mortal", address: coins.mortal.address, kind: "erc20", balanceSource: isPrague ? "events" : "none" });
  if (isPrague) {
    await addBlobTransaction(builder, chainId, 6);
    tokens.push(await addDelegatedAccount(builder, chainId, 7, await builder.deploy("PersonalCoin"), accounts));
  }
  await builder.mineBlock({ from: alice, to: genesisAccounts.paid, value: 52n, gas: 60_000n });
  await withdrawingNode?.withdraw({ address: sink(30), gwei: 1n }, { address: bob, gwei: 2n });
  await chain.mine();
  return { accounts, tokens, ids: storyIds(rounds), wrappedNative: coins.wrapped.address, middle, head: await chain.head() };
}

/** Renders the story's genesis file. */
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
