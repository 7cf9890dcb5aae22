import type { Address } from "../../../lib/hex.ts";
import type { Rules } from "./rules.ts";
import { ruled, unruled, type Verdict } from "./verdict.ts";

/** A token transfer as one of its sides sees it. */
export interface SeenTransfer {
  /** Whose list it stands in. */
  readonly wallet: Address;
  readonly from: Address;
  readonly to: Address;
  readonly amount: string | bigint;
  /** Who sent the transaction. */
  readonly sender: Address;
}

/** The addresses that a wallet really dealt with, ready to be compared with others. */
export interface Counterparties {
  readonly has: (address: Address) => boolean;
  /** One that begins and ends like an address and is another. */
  readonly resembled: (address: Address) => Address | null;
}

/** Makes the wallet's true counterparties (of transfers that moved something) comparable. */
export function createCounterparties({ poisoning }: Pick<Rules, "poisoning">, addresses: Iterable<Address>): Counterparties {
  const digits = poisoning.matchingDigits;
  const outline = (address: Address): string => `${address.slice(2, 2 + digits)}…${address.slice(-digits)}`;
  const known = new Set(addresses);
  const byOutline = new Map<string, Address>();
  for (const address of known) byOutline.set(outline(address), address);
  return {
    has: (address) => known.has(address),
    resembled: (address) => (known.has(address) ? null : (byOutline.get(outline(address)) ?? null)),
  };
}

/**
 * Whether a transfer was made to leave an address in the wallet's list: it moves nothing, and either names an address that looks like one the wallet dealt
 * with, or goes out in the wallet's name (EIP-20 lets anybody "transfer from" it nothing) in somebody else's transaction.
 */
export function judgePoisoning(
  { poisoning }: Pick<Rules, "poisoning">,
  transfer: SeenTransfer,
  counterparties: Counterparties,
): Verdict<boolean> {
  const { wallet, from, to, sender } = transfer;
  if (BigInt(transfer.amount) !== 0n || from === to) return unruled(false);
  const other = from === wallet ? to : from;
  const resembled = counterparties.resembled(other);
  if (resembled !== null)
    return ruled(true, "resembling-address", `It moves nothing, and ${other} looks like ${resembled}, with which ${wallet} dealt.`);
  if (poisoning.sentByOthers && from === wallet && sender !== wallet && !counterparties.has(other)) {
    return ruled(true, "sent-by-others", `It moves nothing out of ${wallet}, and ${sender} sent it.`);
  }
  return unruled(false);
}
