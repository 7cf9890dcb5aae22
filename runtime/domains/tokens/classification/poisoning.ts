import type { Address } from "../../../lib/hex.ts";
import type { Rules } from "./rules.ts";
import { ruled, unruled, type Verdict } from "./verdict.ts";

/** A token transfer as one of its sides sees it. */
export interface SeenTransfer {
  /** Whose list it stands in. */
  readonly wallet: Address;
  readonly block: number;
  readonly from: Address;
  readonly to: Address;
  readonly amount: string | bigint;
  /** Who sent the transaction. */
  readonly sender: Address;
}

/** Somebody with whom a wallet moved something. */
export interface Counterparty {
  readonly address: Address;
  /** The first block in which anything moved between them. */
  readonly since: number;
  /** The first one in which the wallet itself sent the transaction; null where others sent all of them, who may move dust or a token of their own. */
  readonly sentSince: number | null;
}

/** Those whom a wallet dealt with, ready to be compared with others. */
export interface Counterparties {
  /** Whether something moved between them before a block. */
  readonly has: (address: Address, block: number) => boolean;
  /** One that begins and ends like an address, is another, and with whom there were closer dealings up to a block. */
  readonly resembled: (address: Address, block: number) => Address | null;
  /** Whether the wallet sends transactions itself; a contract's are sent by others. */
  readonly sends: boolean;
}

/** An address, and the first block in which the wallet dealt with it. */
interface Dealing {
  readonly address: Address;
  readonly since: number;
}

/** The two earliest dealings with addresses that begin and end alike; the second counts where the first is with the address that is asked about. */
interface Earliest {
  readonly first: Dealing;
  readonly second: Dealing | null;
}

const withDealing = (known: Earliest | undefined, dealing: Dealing): Earliest => {
  if (known === undefined) return { first: dealing, second: null };
  const { first, second } = known;
  if (dealing.since < first.since) return { first: dealing, second: first };
  return second === null || dealing.since < second.since ? { first, second: dealing } : known;
};

/** Makes a wallet's counterparties comparable. Of those that look alike, which may be thousands that somebody made, only the earliest are kept. */
export function createCounterparties({ poisoning }: Pick<Rules, "poisoning">, counterparties: Iterable<Counterparty>): Counterparties {
  const digits = poisoning.matchingDigits;
  const outline = (address: Address): string => `${address.slice(2, 2 + digits)}…${address.slice(-digits)}`;
  const known = new Map<Address, Counterparty>();
  for (const counterparty of counterparties) known.set(counterparty.address, counterparty);
  /** By outline: those with whom anything moved, and those to whom the wallet sent. */
  const [moved, sent] = [new Map<string, Earliest>(), new Map<string, Earliest>()];
  for (const { address, since, sentSince } of known.values()) {
    const key = outline(address);
    moved.set(key, withDealing(moved.get(key), { address, since }));
    if (sentSince !== null) sent.set(key, withDealing(sent.get(key), { address, since: Math.max(since, sentSince) }));
  }
  /** 2 where the wallet chose the dealings, 1 where others did, 0 without any. A block counts from its end for who is imitated, from its begin for who imitates. */
  const closeness = (counterparty: Counterparty | undefined, before: number): number => {
    if (counterparty === undefined || counterparty.since >= before) return 0;
    return counterparty.sentSince !== null && counterparty.sentSince < before ? 2 : 1;
  };
  /** The earliest dealing up to a block with another address of the same outline. */
  const otherThan = (address: Address, earliest: Earliest | undefined, block: number): Address | null => {
    const other = earliest?.first.address === address ? earliest.second : earliest?.first;
    return other !== undefined && other !== null && other.since <= block ? other.address : null;
  };
  return {
    has: (address, block) => closeness(known.get(address), block) > 0,
    resembled: (address, block) => {
      const own = closeness(known.get(address), block);
      const key = outline(address);
      if (own === 2) return null;
      return otherThan(address, sent.get(key), block) ?? (own === 0 ? otherThan(address, moved.get(key), block) : null);
    },
    sends: [...known.values()].some(({ sentSince }) => sentSince !== null),
  };
}

/**
 * Whether a transfer was made to leave an address in the wallet's list: it moves nothing, and either names an address that looks like one the wallet dealt
 * with, or goes out to a stranger in the wallet's name (EIP-20 lets anybody "transfer from" it nothing) in somebody else's transaction.
 */
export function judgePoisoning(
  { poisoning }: Pick<Rules, "poisoning">,
  transfer: SeenTransfer,
  counterparties: Counterparties,
): Verdict<boolean> {
  const { wallet, block, from, to, sender } = transfer;
  if (BigInt(transfer.amount) !== 0n || from === to) return unruled(false);
  const other = from === wallet ? to : from;
  const resembled = counterparties.resembled(other, block);
  if (resembled !== null)
    return ruled(true, "resembling-address", `It moves nothing, and ${other} looks like ${resembled}, with which ${wallet} dealt.`);
  const inItsName = from === wallet && sender !== wallet && counterparties.sends;
  if (poisoning.sentByOthers && inItsName && !counterparties.has(other, block)) {
    return ruled(true, "sent-by-others", `It moves nothing out of ${wallet}, and ${sender} sent it.`);
  }
  return unruled(false);
}
