import type { ChainTransaction } from "../../../chain/types.ts";
import type { DecodedBlock, Erc20Transfer } from "../../../events/decoded-block.ts";
import { type Address, type Hex, zeroAddress } from "../../../lib/hex.ts";

/** EIP-20 transferFrom(address,address,uint256). */
const transferFrom = "0x23b872dd";
/** Max owner-token pairs per transaction: a wallet needs only a few, and spam must not fill the table. */
const maxPairs = 16;
/** Max hex digits of call data (2 kB) that are searched for an owner, which bounds the time for a block with long call data. */
const maxDigits = 4_096;

/** Results by block: `keysToLoad` and `fold` both use them. */
const cache = new WeakMap<DecodedBlock, ReadonlyMap<Erc20Transfer, Address>>();

/**
 * The spenders that may have transferred an owner's tokens by `transferFrom`, and so may have an allowance that no event reported, by transfer. The spender is
 * the sender of a transaction that calls the token's `transferFrom` directly; otherwise it is the contract that the transaction calls, if the owner sent the
 * transaction or its call data contains the owner. Traces cannot identify the spender, because stored traces do not include calls to tokens. Payouts of pools
 * match neither case: a pool sends no transactions and is usually not in the call data.
 */
export const spendersIn = (decoded: DecodedBlock): ReadonlyMap<Erc20Transfer, Address> => {
  const cached = cache.get(decoded);
  if (cached !== undefined) return cached;
  const spenders = new Map<Erc20Transfer, Address>();
  const pairs = new Map<number, Map<string, Address | null>>();
  for (const event of decoded.events) {
    if (event.kind !== "erc20Transfer" || event.amount === 0n || event.from === zeroAddress) continue;
    const transaction = decoded.block.transactions[event.transactionIndex];
    if (transaction === undefined || transaction.to === null) continue;
    const spender =
      transaction.to === event.address ? callerOf(transaction, event) : contractCalledFor(transaction, transaction.to, event, pairs);
    if (spender !== null) spenders.set(event, spender);
  }
  cache.set(decoded, spenders);
  return spenders;
};

/** The sender of a direct call to `transferFrom` for the owner's tokens. */
const callerOf = ({ from, input }: ChainTransaction, { from: owner }: Erc20Transfer): Address | null =>
  from !== owner && input.startsWith(transferFrom) && firstAddress(input) === owner ? from : null;

/** The contract that a transaction calls, if it may have called the token for the owner. `pairs` caches the results by transaction. */
const contractCalledFor = (
  { index, from, input }: ChainTransaction,
  called: Address,
  { address, from: owner }: Erc20Transfer,
  pairs: Map<number, Map<string, Address | null>>,
): Address | null => {
  const spenders = pairs.get(index) ?? new Map<string, Address | null>();
  pairs.set(index, spenders);
  const pair = `${owner}${address}`;
  const cached = spenders.get(pair);
  if (cached !== undefined || spenders.size >= maxPairs) return cached ?? null;
  const mayCallForOwner = called !== owner && (from === owner || containsAddress(input, owner.slice(2)));
  const spender = mayCallForOwner ? called : null;
  spenders.set(pair, spender);
  return spender;
};

/** The offset of the first argument, after 0x and the selector. */
const firstArgumentOffset = 10;
/** The selector of a nested call shifts its words by four bytes, eight hex digits. */
const digitsPerSelector = 8;

/** Whether call data contains an address; takes linear time for any input. */
const containsAddress = (input: Hex, digits: string): boolean => {
  const last = Math.min(input.length, maxDigits) - digits.length;
  for (let at = firstArgumentOffset; at <= last; at += digitsPerSelector) if (containsAt(input, digits, at)) return true;
  return false;
};

/** Like `startsWith` with a position, but compares from the end: addresses differ in their last digits, while leading zeros may match padding. */
const containsAt = (text: string, part: string, at: number): boolean => {
  for (let index = part.length - 1; index >= 0; index -= 1) if (text.charCodeAt(at + index) !== part.charCodeAt(index)) return false;
  return true;
};

/** The first argument of a call: the lower 20 bytes of its word. */
const firstAddress = (input: Hex): Address => `0x${input.slice(34, 74)}`;
