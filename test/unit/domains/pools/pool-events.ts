import type { Row } from "../../../../runtime/indexer/projection.ts";
import { type Address, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { account, type EmittedEvent } from "./folding.ts";

/** The tests' accounts and contracts: `router` sends swaps and `provider` provides liquidity. */
export const [factory, otherFactory, token0, token1, token2, pool, other, router, provider, feeCollector] = [..."0123456789"].map((digit) =>
  account(digit === "0" ? "f" : digit),
) as unknown as [Address, Address, Address, Address, Address, Address, Address, Address, Address, Address];

/** A factory's event for a new pool. */
export const poolCreated = (
  address: Address,
  announced: Address,
  tokens: readonly [Address, Address] = [token0, token1],
  family: "xy=k" | "concentrated" = "xy=k",
): EmittedEvent => ({
  kind: "poolCreated",
  address,
  family,
  pool: announced,
  token0: tokens[0],
  token1: tokens[1],
  feePpm: family === "concentrated" ? 500 : null,
});
/** The reserves that a pair emits after each change. */
export const sync = (address: Address, reserve0: bigint, reserve1: bigint): EmittedEvent => ({
  kind: "poolReserves",
  address,
  reserve0,
  reserve1,
});
/** A swap in a pair, sent by the router. */
export const swap = (
  address: Address,
  ins: readonly [bigint, bigint],
  outs: readonly [bigint, bigint],
  transactionIndex = 0,
  to = provider,
): EmittedEvent => ({
  kind: "poolSwap",
  address,
  transactionIndex,
  sender: router,
  to,
  amount0In: ins[0],
  amount1In: ins[1],
  amount0Out: outs[0],
  amount1Out: outs[1],
  price: null,
});
/** A liquidity deposit or withdrawal. */
export const liquidity = (kind: "poolDeposit" | "poolWithdrawal", address: Address, amounts: readonly [bigint, bigint]): EmittedEvent => ({
  kind,
  address,
  sender: router,
  to: kind === "poolDeposit" ? null : provider,
  amount0: amounts[0],
  amount1: amounts[1],
  position: null,
});
/** A transfer of pair shares. */
export const shareTransfer = (address: Address, from: Address, to: Address, amount: bigint): EmittedEvent => ({
  kind: "erc20Transfer",
  address,
  from,
  to,
  amount,
});
/** The events of a first deposit, 4,000 and 9,000: sqrt(4,000 × 9,000) = 6,000 shares, 1,000 of them locked forever. */
export const firstDeposit = (contract: Address): EmittedEvent[] => [
  shareTransfer(contract, zeroAddress, zeroAddress, 1_000n),
  shareTransfer(contract, zeroAddress, provider, 5_000n),
  sync(contract, 4_000n, 9_000n),
  liquidity("poolDeposit", contract, [4_000n, 9_000n]),
];
/** Selected columns of rows. */
export const pick = (rows: readonly Row[] | undefined, ...columns: string[]): unknown[][] =>
  (rows ?? []).map((row) => columns.map((column) => row[column]));
