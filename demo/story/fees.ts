import type { Hex } from "../../runtime/lib/hex.ts";

const gwei = 1_000_000_000n;

/** Formats a number as a JSON-RPC quantity. */
export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;

/** The base fee of a block: a triangle wave between 6 and 10 gwei that does not depend on the gas used, because anvil's own would decay to 8 wei. */
export const baseFeeAt = (block: number): bigint => {
  const position = block % 400;
  return 6n * gwei + (4n * gwei * BigInt(position < 200 ? position : 400 - position)) / 200n;
};

/**
 * The fee fields of a transaction; the nonce selects one of three transaction types. Anvil orders by fee cap: each transaction's cap is one wei
 * lower than the previous one's, which keeps the planned order.
 */
export const feesAt = (block: number, position: number, nonce: number): Record<string, unknown> => {
  const cap = baseFeeAt(block) + 3n * gwei - BigInt(position);
  const kind = nonce % 11;
  if (kind === 7) return { gasPrice: quantity(cap) };
  if (kind === 9) return { gasPrice: quantity(cap), accessList: [] };
  return { maxFeePerGas: quantity(cap), maxPriorityFeePerGas: quantity(gwei + (BigInt(nonce % 5) * gwei) / 4n) };
};
