import { type ActiveRequest, activeRequest } from "./active-request.ts";

/*
 * Work on large responses shares the event loop in turns, so that other requests are not delayed. In each iteration of the loop, all such work
 * together has a limited time; the rest waits for a turn in a later iteration.
 */

/** The time that work in turns may use in one event loop iteration. */
const turnMilliseconds = 2;
/** Up to this number of turns, a request takes precedence over requests that have had more, whose responses are larger. */
const firstTurnCount = 24;
/** One in this many turns goes to the oldest request that has had its first turns, so that such requests are not delayed indefinitely. */
const oldestInterval = 4;

/** A request that takes turns. */
interface Participant {
  /** The order in which requests took their first turn. */
  readonly sequence: number;
  readonly signal: AbortSignal | null;
  turns: number;
}

interface Waiting {
  readonly participant: Participant;
  readonly resume: () => void;
  readonly fail: (reason: unknown) => void;
}

const participants = new WeakMap<ActiveRequest, Participant>();
let waiting: readonly Waiting[] = [];
let sequence = 0;
let granted = 0;
/** When the first work in this event loop iteration started; null if none has started. */
let startedAt: number | null = null;

function participantOf(request: ActiveRequest | undefined): Participant {
  const existing = request === undefined ? undefined : participants.get(request);
  if (existing !== undefined) return existing;
  sequence += 1;
  const participant = { sequence, signal: request?.signal ?? null, turns: 0 };
  if (request !== undefined) participants.set(request, participant);
  return participant;
}

/** The oldest waiting request, or undefined if there is none. */
const oldestOf = (candidates: readonly Waiting[]): Waiting | undefined =>
  candidates.reduce<Waiting | undefined>(
    (oldest, other) => (oldest === undefined || other.participant.sequence < oldest.participant.sequence ? other : oldest),
    undefined,
  );

/** Large responses are completed one after the other, oldest first: if all progressed concurrently, all would be in memory. */
function nextWaiting(): Waiting | undefined {
  const isFirst = ({ participant }: Waiting): boolean => participant.turns <= firstTurnCount;
  const [first, later] = [waiting.filter(isFirst), waiting.filter((entry) => !isFirst(entry))];
  const isForOldest = granted % oldestInterval === 0;
  return isForOldest ? (oldestOf(later) ?? oldestOf(first)) : (oldestOf(first) ?? oldestOf(later));
}

function grantTurn(): void {
  const aborted = waiting.filter(({ participant }) => participant.signal?.aborted === true);
  if (aborted.length > 0) waiting = waiting.filter((entry) => !aborted.includes(entry));
  for (const { participant, fail } of aborted) fail(participant.signal?.reason);
  granted += 1;
  const next = nextWaiting();
  if (next === undefined) return;
  waiting = waiting.filter((entry) => entry !== next);
  // Immediates that are set while immediates run belong to the next loop iteration.
  if (waiting.length > 0) setImmediate(grantTurn);
  next.resume();
}

/** Whether work in turns has used up its time in this event loop iteration, so that it should await `nextTurn`. */
export function isTurnOver(): boolean {
  const now = performance.now();
  if (startedAt === null) {
    startedAt = now;
    setImmediate(() => {
      startedAt = null;
    });
  }
  return now - startedAt >= turnMilliseconds;
}

/** Waits while other work on the event loop runs. If the request has aborted, rejects with the reason, so that its work ends. */
export const nextTurn = (request: ActiveRequest | undefined = activeRequest()): Promise<void> =>
  new Promise((resume, fail) => {
    const participant = participantOf(request);
    participant.turns += 1;
    if (waiting.length === 0) setImmediate(grantTurn);
    waiting = [...waiting, { participant, resume, fail }];
  });

/** The first items of a list are processed without waiting, unless they take longer than a turn. */
const firstItemCount = 32;
/** Items that are processed between two checks of the time. */
const itemsPerCheck = 8;

/** Calls a function for each item, in order; a promise that it returns is awaited. Rejects as `nextTurn` does. */
export async function forEachInTurns<Item>(
  items: Iterable<Item>,
  visit: (item: Item, index: number) => void | Promise<void>,
): Promise<void> {
  let resumedAt = performance.now();
  let visited = 0;
  for (const item of items) {
    const pending = visit(item, visited);
    if (pending !== undefined) await pending;
    visited += 1;
    if (visited % itemsPerCheck !== 0) continue;
    const isOver = visited > firstItemCount ? isTurnOver() : performance.now() - resumedAt >= turnMilliseconds;
    if (!isOver) continue;
    await nextTurn();
    resumedAt = performance.now();
  }
}

/** Maps each item with a function, like `map`. Rejects as `nextTurn` does. */
export async function mapInTurns<Item, Result>(items: Iterable<Item>, resultOf: (item: Item, index: number) => Result): Promise<Result[]> {
  const results: Result[] = [];
  await forEachInTurns(items, (item, index) => void results.push(resultOf(item, index)));
  return results;
}

/** Selects the items that meet a condition, like `filter`. Rejects as `nextTurn` does. */
export async function filterInTurns<Item>(items: Iterable<Item>, isKept: (item: Item) => boolean): Promise<Item[]> {
  const kept: Item[] = [];
  await forEachInTurns(items, (item) => {
    if (isKept(item)) kept.push(item);
  });
  return kept;
}

/** Groups items by key, preserving their order, like `groupBy`. Rejects as `nextTurn` does. */
export async function groupInTurns<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Promise<Map<Key, Item[]>> {
  const groups = new Map<Key, Item[]>();
  await forEachInTurns(items, (item) => {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  });
  return groups;
}
