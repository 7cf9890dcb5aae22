import type { Address } from "../../runtime/lib/hex.ts";
import { encode, encodeApprove, encodeTransfer } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { farDeadline, unlimited } from "./exchange-types.ts";
import type { Tokens } from "./tokens.ts";

const dollarsEach = 1_200n;
const coinsEach = 5_000n;
/** The share of their balances that buyer and seller trade; the rest allows them to continue. */
const tradedPercent = 90n;

/** Funds the wash traders. Returns the deposit of the first one in their pool: old coins and dollars. */
export const fundWashTraders = async (
  context: StoryContext,
  { deployer, washTraders }: Accounts,
  { usd, old }: Pick<Tokens, "usd" | "old">,
  router: Address,
): Promise<readonly [bigint, bigint]> => {
  await context.mine(
    washTraders.flatMap((trader): Call[] => [
      { from: deployer, to: usd.address, data: encode(usd.abi, "mint", [trader, dollarsEach * usd.unit]) },
      { from: deployer, to: old.address, data: encodeTransfer(trader, coinsEach * old.unit), gas: 80_000 },
      ...[usd, old].map(({ address }): Call => ({ from: trader, to: address, data: encodeApprove(router, unlimited), gas: 80_000 })),
    ]),
  );
  return [3_000n * old.unit, 30n * usd.unit];
};

/**
 * Creates the daily trades: one of the two buys with nearly all its dollars, at thousands of times the previous price, and the other sells into the
 * pool. They recover most of their funds within the day, and a price derived from their pool would be absurd at any hour.
 */
export const createWashTrades = (context: StoryContext, { washTraders }: Accounts, { usd, old }: Tokens, router: Address): DailyCalls => {
  const { artifacts } = context;
  const trade = async (from: Address, paid: Address, bought: Address): Promise<Call> => {
    const balance = await context.read<bigint>(paid, artifacts.presetToken.abi, "balanceOf", [from]);
    const parameters = [(balance * tradedPercent) / 100n, 0n, [paid, bought], from, farDeadline];
    return { from, to: router, data: encode(artifacts.router.abi, "swapExactTokensForTokens", parameters) };
  };
  return async (day) => {
    const [buyer, seller] = day % 2 === 0 ? washTraders : ([washTraders[1], washTraders[0]] as const);
    return [await trade(buyer, usd.address, old.address), await trade(seller, old.address, usd.address)];
  };
};
