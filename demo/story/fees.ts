import type { Hex } from "../../runtime/lib/hex.ts";

const gwei = 1_000_000_000n;

/** A number as JSON-RPC writes it. */
export const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`;

/** The base fee follows a slow triangle between 6 and 10 gwei rather than the gas used, as anvil's own would decay to 8 wei. */
export const baseFeeAt = (block: number): bigint => {
  const position = block % 400;
  return 6n * gwei + (4n * gwei * BigInt(position < 200 ? position : 400 - position)) / 200n;
};

/** Fee fields of a transaction, of three types. Anvil puts the higher fee cap first, so that caps falling by a wei keep the planned order whatever the timing. */
export const feesAt = (block: number, position: number, nonce: number): Record<string, unknown> => {
  const cap = baseFeeAt(block) + 3n * gwei - BigInt(position);
  const kind = nonce % 11;
  if (kind === 7) return { gasPrice: quantity(cap) };
  if (kind === 9) return { gasPrice: quantity(cap), accessList: [] };
  return { maxFeePerGas: quantity(cap), maxPriorityFeePerGas: quantity(gwei + (BigInt(nonce % 5) * gwei) / 4n) };
};
