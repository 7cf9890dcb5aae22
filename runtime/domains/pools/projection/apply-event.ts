import type { DecodedEvent, Erc20Transfer, PoolEvent } from "../../../events/decoded-block.ts";
import { type Address, zeroAddress } from "../../../lib/hex.ts";
import type { Amounts } from "./exchange-sums.ts";
import type { FoldedPool } from "./folded-pools.ts";
import { actionCodes } from "./tables.ts";

type OwnPoolEvent = Exclude<PoolEvent, { kind: "poolCreated" }>;
type Swap = Extract<PoolEvent, { kind: "poolSwap" }>;
type Liquidity = Extract<PoolEvent, { kind: "poolDeposit" | "poolWithdrawal" }>;

/** An action on a pool. */
export interface Action {
  readonly code: number;
  readonly sender: Address;
  readonly to: Address | null;
  readonly amounts: Amounts;
  readonly liquidity: bigint | null;
}

/** Whether an event is emitted by a pool itself. */
export const isPoolEvent = (event: DecodedEvent): event is OwnPoolEvent => event.kind.startsWith("pool") && event.kind !== "poolCreated";

/**
 * Whether a transfer changes the supply of an LP token, which is minted from the zero address and burned by the pool. A holder's transfer to the zero
 * address does not: the contract's totalSupply() does not change.
 */
export const changesSupply = (event: DecodedEvent): event is Erc20Transfer =>
  event.kind === "erc20Transfer" && (event.from === zeroAddress || (event.to === zeroAddress && event.from === event.address));

/** Applies an event to a pool; returns the action that the event completes, if any. */
export const applyEvent = (pool: FoldedPool, event: OwnPoolEvent | Erc20Transfer): Action | null => {
  switch (event.kind) {
    case "erc20Transfer":
      moveSupply(pool, event);
      return null;
    case "poolReserves":
      pool.reserves = [event.reserve0, event.reserve1];
      return null;
    case "poolPrice":
      pool.sqrtPriceX96 = event.sqrtPriceX96;
      pool.tick = event.tick;
      pool.liquidity ??= 0n;
      move(pool, noAmounts);
      return null;
    case "poolBalanceChange":
      move(pool, { in: [event.amount0In, event.amount1In], out: [event.amount0Out, event.amount1Out] });
      return null;
    case "poolSwap":
      return swap(pool, event);
    case "poolDeposit":
    case "poolWithdrawal":
      return event.position === null ? changeShares(pool, event) : changePosition(pool, event, event.position);
  }
};

const noAmounts: Amounts = { in: [0n, 0n], out: [0n, 0n] };

/**
 * A concentrated pool emits no reserves: they are the amounts in minus the amounts out since its first event. Negative reserves prove inconsistent
 * events, so the reserves are unknown from then on.
 */
const move = (pool: FoldedPool, amounts: Amounts): void => {
  const before = pool.hasEmitted ? pool.reserves : ([0n, 0n] as const);
  if (before === null) return;
  const [after0, after1] = [before[0] + amounts.in[0] - amounts.out[0], before[1] + amounts.in[1] - amounts.out[1]];
  pool.reserves = after0 < 0n || after1 < 0n ? null : [after0, after1];
};

const swap = (pool: FoldedPool, event: Swap): Action => {
  const amounts = { in: [event.amount0In, event.amount1In], out: [event.amount0Out, event.amount1Out] } as const;
  if (event.price !== null) {
    pool.sqrtPriceX96 = event.price.sqrtPriceX96;
    pool.liquidity = event.price.liquidity;
    pool.tick = event.price.tick;
    move(pool, amounts);
  }
  pool.swapCount += 1;
  for (const side of [0, 1] as const) {
    pool.amountsIn[side] += amounts.in[side];
    pool.amountsOut[side] += amounts.out[side];
  }
  return { code: actionCodes.swap, sender: event.sender, to: event.to, amounts, liquidity: null };
};

/** Mints and burns of the pool's token precede their event; the last of several mints goes to the provider. */
const moveSupply = (pool: FoldedPool, { from, to, amount, transactionIndex }: Erc20Transfer): void => {
  if (pool.pending?.transactionIndex !== transactionIndex) pool.pending = { transactionIndex, minted: null, burned: null };
  const isMint = from === zeroAddress;
  if (isMint) pool.pending.minted = { to, amount };
  else pool.pending.burned = amount;
  const supply = pool.supply === null ? null : isMint ? pool.supply + amount : pool.supply - amount;
  pool.supply = supply !== null && supply < 0n ? null : supply;
};

const changeOf = ({ kind, sender, amount0, amount1 }: Liquidity): Pick<Action, "code" | "sender" | "amounts"> =>
  kind === "poolDeposit"
    ? { code: actionCodes.add, sender, amounts: { in: [amount0, amount1], out: [0n, 0n] } }
    : { code: actionCodes.remove, sender, amounts: { in: [0n, 0n], out: [amount0, amount1] } };

/** The event has neither the amount of LP tokens nor their recipient; both are taken from the preceding transfers. */
const changeShares = (pool: FoldedPool, event: Liquidity): Action => {
  const pending = pool.pending?.transactionIndex === event.transactionIndex ? pool.pending : null;
  pool.pending = null;
  const change = changeOf(event);
  return event.kind === "poolDeposit"
    ? { ...change, to: pending?.minted?.to ?? null, liquidity: pending?.minted?.amount ?? null }
    : { ...change, to: event.to, liquidity: pending?.burned ?? null };
};

const changePosition = (pool: FoldedPool, event: Liquidity, position: NonNullable<Liquidity["position"]>): Action | null => {
  const change = changeOf(event);
  // Withdrawn amounts stay in the pool until they are collected.
  move(pool, { in: change.amounts.in, out: noAmounts.out });
  // A withdrawal of zero liquidity only updates the fees owed to the position.
  if (position.liquidity === 0n) return null;
  // Liquidity is active if its range includes the current tick.
  if (pool.liquidity !== null && pool.tick !== null && position.tickLower <= pool.tick && pool.tick < position.tickUpper) {
    const liquidity = pool.liquidity + (event.kind === "poolDeposit" ? position.liquidity : -position.liquidity);
    pool.liquidity = liquidity < 0n ? null : liquidity;
  }
  return { ...change, to: event.to, liquidity: position.liquidity };
};
