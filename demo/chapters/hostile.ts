import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { hostileTokens, responseNumber } from "./hostile-tokens.ts";

/** The tokens are minted late in the story: the node processes all contract storage for each block, and these strings are long. */
const firstDay = 50;
const tokensPerDay = 10;

/** A collection with a single owner. */
export interface HostileCollection {
  readonly collection: Address;
  readonly owner: Address;
}

/** The gas for storing a URI of this length in 32-byte words. */
const gasFor = (characters: number): number => 250_000 + Math.ceil(characters / 32) * 25_000;

/** Deploys a collection with hostile metadata: one token for each attack, all owned by one dealer. */
export const setUpHostile = async (
  context: StoryContext,
  { deployer, dealers }: Accounts,
): Promise<{ hostile: HostileCollection; dailyCalls: DailyCalls }> => {
  const { artifacts } = context;
  const owner = dealers[4] as Address;
  const { abi } = artifacts.hostileCollection;
  const collection = await context.deploy(deployer, artifacts.hostileCollection);
  const calls = hostileTokens.map(({ response, uri, length }): Call => {
    const data = encode(abi, "mint", [owner, responseNumber(response), uri, BigInt(length)]);
    return { from: deployer, to: collection, data, gas: gasFor(uri.length) };
  });
  const dailyCalls: DailyCalls = (day) =>
    day < firstDay ? [] : calls.slice((day - firstDay) * tokensPerDay, (day - firstDay + 1) * tokensPerDay);
  return { hostile: { collection, owner }, dailyCalls };
};
