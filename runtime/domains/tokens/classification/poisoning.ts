import type { Address } from "../../../lib/hex.ts";
import type { Rules } from "./rules.ts";
import { byDefault, byRule, type Verdict } from "./verdict.ts";

/** A token transfer in the list of one wallet. */
export interface WalletTransfer {
  readonly wallet: Address;
  readonly block: number;
  readonly from: Address;
  readonly to: Address;
  readonly amount: string | bigint;
  /** The sender of the transaction. */
  readonly sender: Address;
}

/** An account that sent a nonzero amount to a wallet or received one from it. */
export interface Counterparty {
  readonly address: Address;
  /** The block of the first transfer between them. */
  readonly since: number;
  /**
   * The block of the first transfer in a transaction that the wallet sent. Null if other accounts sent every transaction with a transfer between the two: any
   * account can send dust to the wallet, or transfer its own token between any accounts.
   */
  readonly sentSince: number | null;
}

/** A wallet's counterparties, indexed for comparison with other addresses. */
export interface Counterparties {
  /** Whether there was a transfer with an account before a block. */
  readonly has: (address: Address, block: number) => boolean;
  /**
   * The counterparty that an address imitates, among those up to a block: a different address with the same first and last digits and a closer relation to the
   * wallet. Null if there is none.
   */
  readonly imitatedBy: (address: Address, block: number) => Address | null;
  /** Whether the wallet sends transactions itself, which a contract does not. */
  readonly sendsTransactions: boolean;
}

/** An address, and the first block of a transfer with it. */
interface Contact {
  readonly address: Address;
  readonly since: number;
}

/** The two earliest contacts with the same first and last digits; the second one is used when the first one is the compared address itself. */
interface EarliestContacts {
  readonly first: Contact;
  readonly second: Contact | null;
}

const withContact = (earliest: EarliestContacts | undefined, contact: Contact): EarliestContacts => {
  if (earliest === undefined) return { first: contact, second: null };
  const { first, second } = earliest;
  if (contact.since < first.since) return { first: contact, second: first };
  return second === null || contact.since < second.since ? { first, second: contact } : earliest;
};

/**
 * The relation between a wallet and an account: the wallet sent a transaction with one of their transfers, other accounts sent all of them, or there are none.
 */
type Closeness = "chosen" | "passive" | "none";

/** Indexes a wallet's counterparties. Only the two earliest addresses with equal digits are stored: an attacker can create thousands of them. */
export function createCounterparties({ poisoning }: Pick<Rules, "poisoning">, counterparties: Iterable<Counterparty>): Counterparties {
  const digits = poisoning.matchingDigits;
  const abbreviate = (address: Address): string => `${address.slice(2, 2 + digits)}…${address.slice(-digits)}`;
  const byAddress = new Map<Address, Counterparty>();
  for (const counterparty of counterparties) byAddress.set(counterparty.address, counterparty);
  /** Contacts by abbreviated address: all of them, and those in transactions that the wallet sent. */
  const [all, chosen] = [new Map<string, EarliestContacts>(), new Map<string, EarliestContacts>()];
  for (const { address, since, sentSince } of byAddress.values()) {
    const key = abbreviate(address);
    all.set(key, withContact(all.get(key), { address, since }));
    if (sentSince !== null) chosen.set(key, withContact(chosen.get(key), { address, since: Math.max(since, sentSince) }));
  }
  /** The relation before a block, not at it: a contact in the same block can be imitated, but does not prove that an address is genuine. */
  const closenessOf = (address: Address, block: number): Closeness => {
    const counterparty = byAddress.get(address);
    if (counterparty === undefined || counterparty.since >= block) return "none";
    return counterparty.sentSince !== null && counterparty.sentSince < block ? "chosen" : "passive";
  };
  /** The earliest contact up to a block with a different address but the same abbreviation. */
  const earliestOther = (address: Address, earliest: EarliestContacts | undefined, block: number): Address | null => {
    const other = earliest?.first.address === address ? earliest.second : earliest?.first;
    return other !== undefined && other !== null && other.since <= block ? other.address : null;
  };
  return {
    has: (address, block) => closenessOf(address, block) !== "none",
    imitatedBy: (address, block) => {
      const closeness = closenessOf(address, block);
      if (closeness === "chosen") return null;
      const key = abbreviate(address);
      return earliestOther(address, chosen.get(key), block) ?? (closeness === "none" ? earliestOther(address, all.get(key), block) : null);
    },
    sendsTransactions: [...byAddress.values()].some(({ sentSince }) => sentSince !== null),
  };
}

/**
 * Whether the purpose of a transfer is to place an address in the wallet's transfer history: its amount is 0, and it either involves an address that imitates a
 * counterparty, or is a transfer from the wallet to an unknown account in a transaction that another account sent (EIP-20 lets any account transfer 0 from any
 * other).
 */
export function classifyPoisoning(
  { poisoning }: Pick<Rules, "poisoning">,
  transfer: WalletTransfer,
  counterparties: Counterparties,
): Verdict<boolean> {
  const { wallet, block, from, to, sender } = transfer;
  if (BigInt(transfer.amount) !== 0n || from === to) return byDefault(false);
  const other = from === wallet ? to : from;
  const imitated = counterparties.imitatedBy(other, block);
  if (imitated !== null) {
    return byRule(true, "resembling-address", `The amount is 0, and ${other} looks like ${imitated}, a counterparty of ${wallet}.`);
  }
  const isSentByOther = from === wallet && sender !== wallet && counterparties.sendsTransactions;
  if (poisoning.sentByOthers && isSentByOther && !counterparties.has(other, block)) {
    return byRule(true, "sent-by-others", `The amount is 0, and ${sender} sent this transfer from ${wallet}.`);
  }
  return byDefault(false);
}
