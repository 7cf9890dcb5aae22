/** A slot's owner: a request's key, or undefined for all requests without a key. */
type Owner = number | undefined;

/** Slots that owners share. */
export interface FairSlots {
  /** Takes a slot, and returns the function that frees it: immediately, or as a promise if the owner has to wait. */
  acquire(owner: Owner): (() => void) | Promise<() => void>;
}

/** The share of slots that a single owner cannot take, so that others find a free one. */
const reservedShare = 1 / 4;

/** Creates slots. The next free slot goes to the waiting owner that holds the fewest; each owner's calls are served in order. */
export function createFairSlots(count: number): FairSlots {
  const maxOfOwner = count - Math.floor(count * reservedShare);
  const held = new Map<Owner, number>();
  const waiting = new Map<Owner, ((free: () => void) => void)[]>();
  let left = count;

  const heldBy = (owner: Owner): number => held.get(owner) ?? 0;
  const take = (owner: Owner): (() => void) => {
    left -= 1;
    held.set(owner, heldBy(owner) + 1);
    return () => {
      left += 1;
      const rest = heldBy(owner) - 1;
      if (rest > 0) held.set(owner, rest);
      else held.delete(owner);
      grant();
    };
  };
  /** The waiting owner that holds the fewest slots and may take another one; among equals, the least recently served one. */
  const nextOwner = (): { readonly owner: Owner } | undefined => {
    let next: { readonly owner: Owner } | undefined;
    for (const owner of waiting.keys())
      if (heldBy(owner) < maxOfOwner && (next === undefined || heldBy(owner) < heldBy(next.owner))) next = { owner };
    return next;
  };
  const grant = (): void => {
    while (left > 0) {
      const next = nextOwner();
      if (next === undefined) return;
      const { owner } = next;
      const calls = waiting.get(owner) ?? [];
      const resolve = calls.shift();
      waiting.delete(owner);
      if (calls.length > 0) waiting.set(owner, calls);
      resolve?.(take(owner));
    }
  };

  return {
    acquire(owner) {
      if (left > 0 && heldBy(owner) < maxOfOwner) return take(owner);
      return new Promise((resolve) => {
        const calls = waiting.get(owner);
        if (calls === undefined) waiting.set(owner, [resolve]);
        else calls.push(resolve);
      });
    },
  };
}
