import type { Address } from "../../runtime/lib/hex.ts";
import { encode } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import { answerNumber, hostileTokens } from "./hostile-tokens.ts";
import type { People } from "./people.ts";

/** Late in the story, because the node processes all contract storage for each block and these texts are long. */
const firstDay = 50;
const tokensPerDay = 10;

/** A collection with a single owner. */
export interface Hostile {
  readonly collection: Address;
  readonly owner: Address;
}

/** The gas for a URI of a length, stored in 32-byte words. */
const gasFor = (characters: number): number => 250_000 + Math.ceil(characters / 32) * 25_000;

/** A collection of hostile metadata, one token per attack, all owned by one dealer. */
export const openHostile = async (stage: ChapterContext, { deployer, dealers }: People): Promise<{ hostile: Hostile; scene: Scene }> => {
  const { artifacts } = stage;
  const owner = dealers[4] as Address;
  const { abi } = artifacts.hostileCollection;
  const collection = await stage.deploy(deployer, artifacts.hostileCollection);
  const calls = hostileTokens.map(({ answer, uri, length }): Call => {
    const data = encode(abi, "mint", [owner, answerNumber(answer), uri, BigInt(length)]);
    return { from: deployer, to: collection, data, gas: gasFor(uri.length) };
  });
  const scene: Scene = (day) => (day < firstDay ? [] : calls.slice((day - firstDay) * tokensPerDay, (day - firstDay + 1) * tokensPerDay));
  return { hostile: { collection, owner }, scene };
};
