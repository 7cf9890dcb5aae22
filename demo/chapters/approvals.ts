import type { Address } from "../../runtime/lib/hex.ts";
import { encodeApprove, encodeTransferFrom } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import { type Exchange, unlimited } from "./exchange-types.ts";
import { findHolder, type People } from "./people.ts";
import type { Tokens } from "./tokens.ts";

/** ERC-20 allowances: unlimited, limited, spent by the spender, and revoked. */
export const openApprovals = (stage: ChapterContext, people: People, tokens: Tokens, exchange: Exchange): Scene => {
  const random = stage.random("approvals");
  const approve = (from: Address, token: Address, spender: Address, amount: bigint): Call => ({
    from,
    to: token,
    data: encodeApprove(spender, amount),
    gas: 80_000,
  });
  const act = (day: number): Call[] => {
    const token = random.pick(tokens.all);
    const owner = findHolder(stage, token.address, people.active(day), random);
    if (owner === undefined) return [];
    const spender = random.pick(people.crowd.slice(0, 12));
    const kind = random.below(6);
    if (kind === 0) return [approve(owner, token.address, spender, unlimited)];
    // The airdrop contract, not the router: the dealers still swap through that one.
    if (kind === 1) return [approve(owner, token.address, tokens.airdrop, BigInt(random.between(1, 500)) * token.unit)];
    if (kind === 2) return [approve(owner, token.address, tokens.airdrop, 0n)];
    if (kind === 3) return [approve(people.trader, token.address, spender, BigInt(random.between(5, 50)) * token.unit)];
    if (kind === 4) return [approve(owner, tokens.old.address, exchange.router, BigInt(random.between(1, 50)) * tokens.old.unit)];
    const amount = stage.holdings.spend(token.address, owner, random, [5, 30]);
    const receiver = random.pick(people.active(day));
    stage.holdings.receive(token.address, receiver, (amount * 98n) / 100n);
    // Approved for twice as much, so that a remainder stays.
    return [
      approve(owner, token.address, spender, amount * 2n),
      { from: spender, to: token.address, data: encodeTransferFrom(owner, receiver, amount), gas: 140_000 },
    ];
  };
  return (day) => Array.from({ length: stage.scaled(11) }, () => act(day)).flat();
};
