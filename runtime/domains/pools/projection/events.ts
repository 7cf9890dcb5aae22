import type { DecodedEvent, Erc20Transfer, PoolEvent } from "../../../events/decoded-block.ts";
import { type Address, zeroAddress } from "../../../lib/hex.ts";
import type { Amounts } from "./exchange-sums.ts";
import type { FoldedPool } from "./folded-pools.ts";
import { actCodes } from "./tables.ts";

type Pooled = Exclude<PoolEvent, { kind: "poolCreated" }>;
type Swap = Extract<PoolEvent, { kind: "poolSwap" }>;
type Liquidity = Extract<PoolEvent, { kind: "poolDeposit" | "poolWithdrawal" }>;

/** What somebody did with a pool. */
export interface Action {
  readonly act: number;
  readonly sender: Address;
  readonly to: Address | null;
  readonly amounts: Amounts;
  readonly liquidity: bigint | null;
}

/** What a pool says of itself. */
export const isOfPool = (event: DecodedEvent): event is Pooled => event.kind.startsWith("pool") && event.kind !== "poolCreated";

/**
 * A pool's own token is minted from the zero address and burnt by the pool itself. What a holder sends to the zero address is lost and still counts:
 * the contract's supply stays.
 */
export const changesSupply = (event: DecodedEvent): event is Erc20Transfer =>
  event.kind === "erc20Transfer" && (event.from === zeroAddress || (event.to === zeroAddress && event.from === event.address));

/** Brings a pool's book up to an event, and says what was done if that is told by it. */
export const applyEvent = (book: FoldedPool, event: Pooled | Erc20Transfer): Action | null => {
  switch (event.kind) {
    case "erc20Transfer":
      moveSupply(book, event);
      return null;
    case "poolReserves":
      book.reserves = [event.reserve0, event.reserve1];
      return null;
    case "poolPrice":
      book.sqrtPriceX96 = event.sqrtPriceX96;
      book.tick = event.tick;
      book.liquidity ??= 0n;
      move(book, nothing);
      return null;
    case "poolMoved":
      move(book, { in: [event.amount0In, event.amount1In], out: [event.amount0Out, event.amount1Out] });
      return null;
    case "poolSwap":
      return swap(book, event);
    case "poolDeposit":
    case "poolWithdrawal":
      return event.position === null ? changeShares(book, event) : changePosition(book, event, event.position);
  }
};

const nothing: Amounts = { in: [0n, 0n], out: [0n, 0n] };

/**
 * A concentrated pool does not say what it has: it is what came in less what went out, counted from its own first word. Less than nothing cannot be,
 * so what a contract has that says so is not known from then on.
 */
const move = (book: FoldedPool, amounts: Amounts): void => {
  const before = book.hasEmitted ? book.reserves : ([0n, 0n] as const);
  if (before === null) return;
  const [after0, after1] = [before[0] + amounts.in[0] - amounts.out[0], before[1] + amounts.in[1] - amounts.out[1]];
  book.reserves = after0 < 0n || after1 < 0n ? null : [after0, after1];
};

const swap = (book: FoldedPool, event: Swap): Action => {
  const amounts = { in: [event.amount0In, event.amount1In], out: [event.amount0Out, event.amount1Out] } as const;
  if (event.price !== null) {
    book.sqrtPriceX96 = event.price.sqrtPriceX96;
    book.liquidity = event.price.liquidity;
    book.tick = event.price.tick;
    move(book, amounts);
  }
  book.swaps += 1;
  for (const side of [0, 1] as const) {
    book.in[side] += amounts.in[side];
    book.out[side] += amounts.out[side];
  }
  return { act: actCodes.swap, sender: event.sender, to: event.to, amounts, liquidity: null };
};

/** Mints and burns of the pool's token, which come before the event that they belong to: of several mints the last is the provider's. */
const moveSupply = (book: FoldedPool, { from, to, amount, transactionIndex }: Erc20Transfer): void => {
  if (book.pending?.transactionIndex !== transactionIndex) book.pending = { transactionIndex, minted: null, burnt: null };
  const isMint = from === zeroAddress;
  if (isMint) book.pending.minted = { to, amount };
  else book.pending.burnt = amount;
  const supply = book.supply === null ? null : isMint ? book.supply + amount : book.supply - amount;
  book.supply = supply !== null && supply < 0n ? null : supply;
};

const changeOf = ({ kind, sender, amount0, amount1 }: Liquidity): Pick<Action, "act" | "sender" | "amounts"> =>
  kind === "poolDeposit"
    ? { act: actCodes.add, sender, amounts: { in: [amount0, amount1], out: [0n, 0n] } }
    : { act: actCodes.remove, sender, amounts: { in: [0n, 0n], out: [amount0, amount1] } };

/** The event does not say how many shares it is about, nor whose they become: their transfers did. */
const changeShares = (book: FoldedPool, event: Liquidity): Action => {
  const pending = book.pending?.transactionIndex === event.transactionIndex ? book.pending : null;
  book.pending = null;
  const change = changeOf(event);
  return event.kind === "poolDeposit"
    ? { ...change, to: pending?.minted?.to ?? null, liquidity: pending?.minted?.amount ?? null }
    : { ...change, to: event.to, liquidity: pending?.burnt ?? null };
};

const changePosition = (book: FoldedPool, event: Liquidity, position: NonNullable<Liquidity["position"]>): Action | null => {
  const change = changeOf(event);
  // What is withdrawn stays in the pool until it is collected.
  move(book, { in: change.amounts.in, out: nothing.out });
  // A withdrawal of nothing only brings the position's earnings up to date.
  if (position.liquidity === 0n) return null;
  // Liquidity is in use where its range has the current tick in it.
  if (book.liquidity !== null && book.tick !== null && position.tickLower <= book.tick && book.tick < position.tickUpper) {
    const liquidity = book.liquidity + (event.kind === "poolDeposit" ? position.liquidity : -position.liquidity);
    book.liquidity = liquidity < 0n ? null : liquidity;
  }
  return { ...change, to: event.to, liquidity: position.liquidity };
};
