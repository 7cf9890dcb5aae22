import type { ChainTransaction } from "../../../chain/types.ts";
import type { DecodedBlock, Erc20Transfer } from "../../../events/decoded-block.ts";
import { type Address, type Hex, zeroAddress } from "../../../lib/hex.ts";

/** EIP-20 transferFrom(address,address,uint256). */
const transferFrom = "0x23b872dd";
/** Owners and tokens of one transaction that are looked at: a wallet pays with a few, and whoever sends junk does not fill the table. */
const maxPairs = 16;
/** Hex digits of call data that are searched for an owner: 2 kB, so that a block of long call data is read in bounded time. */
const maxDigits = 4_096;

/** What was found for a block, as long as the block lives: a batch asks for it twice. */
const found = new WeakMap<DecodedBlock, ReadonlyMap<Erc20Transfer, Address>>();

/**
 * Who may have taken an owner's tokens by `transferFrom`, and so may have an allowance that no event gave: the sender of a transaction that calls the token's
 * `transferFrom` itself; else the contract that the transaction calls, where the owner sent the transaction or its call data names the owner. Who calls a
 * token deeper inside a transaction is in no stored trace. A pool that pays out is neither: it sends no transactions, and nobody has to name it.
 */
export const spendersIn = (decoded: DecodedBlock): ReadonlyMap<Erc20Transfer, Address> => {
  const known = found.get(decoded);
  if (known !== undefined) return known;
  const spenders = new Map<Erc20Transfer, Address>();
  const pairs = new Map<number, Map<string, Address | null>>();
  for (const event of decoded.events) {
    if (event.kind !== "erc20Transfer" || event.amount === 0n || event.from === zeroAddress) continue;
    const transaction = decoded.block.transactions[event.transactionIndex];
    if (transaction === undefined || transaction.to === null) continue;
    const spender = transaction.to === event.address ? callerOf(transaction, event) : calledFor(transaction, transaction.to, event, pairs);
    if (spender !== null) spenders.set(event, spender);
  }
  found.set(decoded, spenders);
  return spenders;
};

/** Who called the token's `transferFrom` for the tokens of the owner. */
const callerOf = ({ from, input }: ChainTransaction, { from: owner }: Erc20Transfer): Address | null =>
  from !== owner && input.startsWith(transferFrom) && firstAddress(input) === owner ? from : null;

/** The contract that a transaction calls, where it may have called the token for the owner. `pairs` has what was found for owners and tokens, by transaction. */
const calledFor = (
  { index, from, input }: ChainTransaction,
  called: Address,
  { address, from: owner }: Erc20Transfer,
  pairs: Map<number, Map<string, Address | null>>,
): Address | null => {
  const seen = pairs.get(index) ?? new Map<string, Address | null>();
  pairs.set(index, seen);
  const pair = `${owner}${address}`;
  const known = seen.get(pair);
  if (known !== undefined || seen.size >= maxPairs) return known ?? null;
  const isCalledFor = called !== owner && (from === owner || names(input, owner.slice(2)));
  const spender = isCalledFor ? called : null;
  seen.set(pair, spender);
  return spender;
};

/** Where arguments of a call begin: after 0x and the selector. Selectors of calls within a call shift the words by four bytes, or eight digits. */
const [firstDigit, step] = [10, 8];

/** Whether call data names an address, in time that is proportional to its length whatever it holds. */
const names = (input: Hex, digits: string): boolean => {
  const last = Math.min(input.length, maxDigits) - digits.length;
  for (let at = firstDigit; at <= last; at += step) if (hasAt(input, digits, at)) return true;
  return false;
};

/** As `startsWith`, but from the last digit on: addresses differ there, where padding is the same. */
const hasAt = (text: string, part: string, at: number): boolean => {
  for (let place = part.length - 1; place >= 0; place -= 1) if (text.charCodeAt(at + place) !== part.charCodeAt(place)) return false;
  return true;
};

/** The first argument of a call: the lower 20 bytes of its word. */
const firstAddress = (input: Hex): Address => `0x${input.slice(34, 74)}`;
