import { LRUCache } from "lru-cache";
import { createMutex, type Mutex } from "../lib/async.ts";
import type { Hash } from "../lib/hex.ts";

/*
 * List pages are requested by number, and OFFSET reads all rows before a page. Servers remember the key of every 1,000th row of the lists that are read
 * deeply, so that a page is read from the nearest key. These lists' rows are a function of the blocks up to their last one, whose hash identifies
 * them: after a reorganisation the hash differs, and the keys are located again.
 */

/** Rows between two remembered keys; skipping that many costs less than a round trip to the database. */
const defaultSpacing = 1_000;
/** Max keys that one statement locates, so that an aborted request loses little of its work. */
const maxKeysPerRead = 100;
/** Max remembered keys for all lists together. */
const defaultMaxKeys = 100_000;

/** Keys of evenly spaced rows, and the hash of the list's last block in the same snapshot; null if the block is not indexed. */
export interface LocatedKeys<Key> {
  readonly branch: Hash | null;
  readonly keys: readonly Key[];
}

/** The key from which a page is read, if the list's last block still has the hash. */
export interface PageStart<Key> {
  readonly key: Key;
  readonly branch: Hash;
}

/** A list of immutable rows with unique keys. */
export interface LocatedList<Key, Row> {
  /** Identifies the list: its filter and its range of blocks. */
  readonly id: string;
  /** Up to `count` keys: of the row with the key `from`, or the first row, and of every `spacing`-th row after it. */
  readonly locate: (from: Key | null, spacing: number, count: number) => Promise<LocatedKeys<Key>>;
  /** The rows of a page, `offset` rows after its start or after the first row. Empty if the last block's hash differs from the start's. */
  readonly read: (start: PageStart<Key> | null, offset: number) => Promise<readonly Row[]>;
}

/** Options of `createPageReader`; the defaults suit all lists. */
export interface PageReaderOptions {
  readonly spacing?: number;
  readonly maxKeys?: number;
}

/** The keys of rows 0, `spacing`, 2 * `spacing` and so on, as of a branch. Keys are added to the array, but none is ever removed from it. */
interface KnownKeys<Key> {
  readonly branch: Hash | null;
  readonly keys: Key[];
}

/** A list that was read deeply. Requests that need more keys locate them one after the other. */
interface KnownList<Key> {
  readonly locating: Mutex;
  known: KnownKeys<Key>;
}

/** Reads the page of a list that starts after `offset` rows. */
export type ReadPageAt<Key> = <Row>(list: LocatedList<Key, Row>, offset: number) => Promise<readonly Row[]>;

/** Creates a page reader that remembers the keys of several lists. The least recently read lists are forgotten. */
export function createPageReader<Key>({ spacing = defaultSpacing, maxKeys = defaultMaxKeys }: PageReaderOptions = {}): ReadPageAt<Key> {
  const lists = new LRUCache<string, KnownList<Key>>({ maxSize: maxKeys });
  const remember = (id: string, list: KnownList<Key>): KnownList<Key> => {
    // Setting the value that is already stored would not change its size.
    lists.delete(id);
    lists.set(id, list, { size: 1 + list.known.keys.length });
    return list;
  };
  const noKeys = (): KnownKeys<Key> => ({ branch: null, keys: [] });

  /** Locates up to `count` more keys with one statement. Returns whether there are no more. */
  const locateMore = async <Row>({ id, locate }: LocatedList<Key, Row>, list: KnownList<Key>, count: number): Promise<boolean> => {
    const { branch, keys } = list.known;
    const from = keys.at(-1);
    const located = await (from === undefined ? locate(null, spacing, count) : locate(from, spacing, count + 1));
    if (from === undefined) list.known = located.branch === null ? noKeys() : { branch: located.branch, keys: [...located.keys] };
    else if (located.branch === branch) keys.push(...located.keys.slice(1));
    else {
      list.known = noKeys();
      return false;
    }
    remember(id, list);
    return located.branch === null || located.keys.length < (from === undefined ? count : count + 1);
  };

  /** The keys up to a position, or up to the list's end; without a branch if its last block is not indexed. */
  const locateUpTo = async <Row>(request: LocatedList<Key, Row>, list: KnownList<Key>, position: number): Promise<KnownKeys<Key>> => {
    let isEnded = false;
    while (!isEnded && list.known.keys.length <= position)
      isEnded = await locateMore(request, list, Math.min(maxKeysPerRead, position + 1 - list.known.keys.length));
    return list.known;
  };

  /** The page at an offset; null if the list's last block was replaced after the keys were located. */
  const readFrom = async <Row>(
    { read, locate }: LocatedList<Key, Row>,
    { branch, keys }: KnownKeys<Key>,
    offset: number,
  ): Promise<readonly Row[] | null> => {
    if (branch === null) return read(null, offset);
    const key = keys[Math.floor(offset / spacing)];
    if (key === undefined) return [];
    const rows = await read({ key, branch }, offset % spacing);
    if (rows.length > 0) return rows;
    const located = await locate(key, spacing, 1);
    return located.branch === branch ? [] : null;
  };

  return async (request, offset) => {
    if (offset < spacing) return request.read(null, offset);
    const list = remember(request.id, lists.get(request.id) ?? { locating: createMutex(), known: noKeys() });
    for (;;) {
      const known = await list.locating(() => locateUpTo(request, list, Math.floor(offset / spacing)));
      const rows = await readFrom(request, known, offset);
      if (rows !== null) return rows;
      if (list.known === known) list.known = noKeys();
    }
  };
}
