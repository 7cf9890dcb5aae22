import type { Address } from "../../runtime/lib/hex.ts";
import { encodeApprove, encodeTransferFrom } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import { type Accounts, findHolder } from "./accounts.ts";
import { type Exchange, unlimited } from "./exchange-types.ts";
import type { Tokens } from "./tokens.ts";

/** Creates the daily ERC-20 approvals: unlimited, limited, spent by the spender, and revoked. */
export const setUpApprovals = (context: StoryContext, accounts: Accounts, tokens: Tokens, exchange: Exchange): DailyCalls => {
  const random = context.createRandom("approvals");
  const approve = (from: Address, token: Address, spender: Address, amount: bigint): Call => ({
    from,
    to: token,
    data: encodeApprove(spender, amount),
    gas: 80_000,
  });
  const randomAction = (day: number): Call[] => {
    const token = random.pick(tokens.all);
    const owner = findHolder(context, token.address, accounts.activeUsers(day), random);
    if (owner === undefined) return [];
    const spender = random.pick(accounts.users.slice(0, 12));
    const kind = random.below(6);
    if (kind === 0) return [approve(owner, token.address, spender, unlimited)];
    // The spender is the airdrop contract: revoking the router's allowance would make later swaps fail.
    if (kind === 1) return [approve(owner, token.address, tokens.airdrop, BigInt(random.between(1, 500)) * token.unit)];
    if (kind === 2) return [approve(owner, token.address, tokens.airdrop, 0n)];
    if (kind === 3) return [approve(accounts.trader, token.address, spender, BigInt(random.between(5, 50)) * token.unit)];
    if (kind === 4) return [approve(owner, tokens.old.address, exchange.router, BigInt(random.between(1, 50)) * tokens.old.unit)];
    const amount = context.holdings.spend(token.address, owner, random, [5, 30]);
    const receiver = random.pick(accounts.activeUsers(day));
    context.holdings.receive(token.address, receiver, (amount * 98n) / 100n);
    // Approves twice the spent amount, so that a remainder stays approved.
    return [
      approve(owner, token.address, spender, amount * 2n),
      { from: spender, to: token.address, data: encodeTransferFrom(owner, receiver, amount), gas: 140_000 },
    ];
  };
  return (day) => Array.from({ length: context.scaled(11) }, () => randomAction(day)).flat();
};
