import { forEachInTurns, isTurnOver, nextTurn } from "./turns.ts";

/** Negative if the left item comes first, positive if the right one does. */
type Compare<Item> = (left: Item, right: Item) => number;

/** Items that are sorted in one call, which takes about a millisecond. */
const runLength = 512;
/** Items that are merged between two checks of the time. */
const itemsPerCheck = 64;

/** A sorted copy of a list, like `toSorted`, which is stable. Rejects as `nextTurn` does. */
export async function sortInTurns<Item>(items: readonly Item[], compare: Compare<Item>): Promise<Item[]> {
  if (items.length <= runLength) return items.toSorted(compare);
  let runs: Item[][] = [];
  const starts = Array.from({ length: Math.ceil(items.length / runLength) }, (_, index) => index * runLength);
  await forEachInTurns(starts, (start) => void runs.push(items.slice(start, start + runLength).sort(compare)));
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let first = 0; first < runs.length; first += 2) merged.push(await merge(runs[first] ?? [], runs[first + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Merges two sorted lists; among equal items, the left list's come first. */
async function merge<Item>(left: readonly Item[], right: readonly Item[], compare: Compare<Item>): Promise<Item[]> {
  const merged: Item[] = [];
  const [lefts, rights] = [left.values(), right.values()];
  let [first, second] = [lefts.next(), rights.next()];
  while (first.done !== true && second.done !== true) {
    if (compare(first.value, second.value) <= 0) {
      merged.push(first.value);
      first = lefts.next();
    } else {
      merged.push(second.value);
      second = rights.next();
    }
    if (merged.length % itemsPerCheck === 0 && isTurnOver()) await nextTurn();
  }
  for (; first.done !== true; first = lefts.next()) merged.push(first.value);
  for (; second.done !== true; second = rights.next()) merged.push(second.value);
  return merged;
}
