import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove, encodeTransfer } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import { farDeadline, unlimited } from "./exchange-types.ts";
import type { People } from "./people.ts";
import type { Tokens } from "./tokens.ts";

const dollarsEach = 1_200n;
const coinsEach = 5_000n;
/** Of what the buyer and the seller have; the rest keeps them able to go on. */
const tradedPercent = 90n;

/** Funds the wash traders, and returns the deposit of the first one in their pool: old coins and dollars. */
export const endowWashTraders = async (
  stage: ChapterContext,
  { deployer, washTraders }: People,
  { usd, old }: Pick<Tokens, "usd" | "old">,
  router: Address,
): Promise<readonly [bigint, bigint]> => {
  await stage.play(
    washTraders.flatMap((trader): Call[] => [
      { from: deployer, to: usd.address, data: encode(usd.abi, "mint", [trader, dollarsEach * usd.unit]) },
      { from: deployer, to: old.address, data: encodeTransfer(trader, coinsEach * old.unit), gas: 80_000 },
      ...[usd, old].map(({ address }): Call => ({ from: trader, to: address, data: encodeApprove(router, unlimited), gas: 80_000 })),
    ]),
  );
  return [3_000n * old.unit, 30n * usd.unit];
};

/**
 * Each day one of the two buys with nearly all that they have, thousands of times above what the coin was just sold for, and the other sells into it. Most of
 * what they have is theirs again by the evening, and a price that followed their pool would be absurd at any hour.
 */
export const createWashTrades = (stage: ChapterContext, { washTraders }: People, { usd, old }: Tokens, router: Address): Scene => {
  const { artifacts } = stage;
  const trade = async (from: Address, paid: Address, bought: Address): Promise<Call> => {
    const held = await stage.read<bigint>(paid, artifacts.presetToken.abi, "balanceOf", [from]);
    const parameters = [(held * tradedPercent) / 100n, 0n, [paid, bought], from, farDeadline];
    return { from, to: router, data: encode(artifacts.router.abi, "swapExactTokensForTokens", parameters) };
  };
  return async (day) => {
    const [buyer, seller] = day % 2 === 0 ? washTraders : ([washTraders[1], washTraders[0]] as const);
    return [await trade(buyer, usd.address, old.address), await trade(seller, old.address, usd.address)];
  };
};
