import { type LatestTable, type Row, valueColumnsOf } from "../projection.ts";
import { keyText } from "./state.ts";

/** A key's state within a batch. `values` and `since` are null if the key has no row. */
interface Entry {
  readonly key: Row;
  values: Row | null;
  since: number | null;
  /** The values at the start of the block. */
  atBlockStart: Row | null;
  isTouched: boolean;
}

/**
 * Tracks the values of a latest table's keys, block by block, with the periods that they end. Empty values create no row, unless set by `setFirst`.
 */
export const createValueHistory = (table: LatestTable, isEmpty: (values: Row) => boolean, stored: (key: Row) => Row | undefined) => {
  const columns = valueColumnsOf(table);
  const entries = new Map<string, Entry>();
  const inBlock = new Set<Entry>();
  const periods: Row[] = [];

  const entryOf = (key: Row): Entry => {
    const text = keyText(table.key.map((column) => String(key[column])));
    const existing = entries.get(text);
    if (existing !== undefined) return existing;
    const row = stored(key);
    const values = row === undefined ? null : Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
    const entry: Entry = { key, values, since: row === undefined ? null : Number(row.since_block), atBlockStart: null, isTouched: false };
    entries.set(text, entry);
    return entry;
  };

  const change = (entry: Entry, values: Row): void => {
    if (!inBlock.has(entry)) {
      inBlock.add(entry);
      entry.atBlockStart = entry.values;
    }
    entry.values = values;
  };

  return {
    /** A key's current values; null if it has no row. */
    get: (key: Row): Row | null => entryOf(key).values,
    /** Sets a key's values. */
    set: (key: Row, values: Row): void => {
      const entry = entryOf(key);
      if (entry.values !== null || !isEmpty(values)) change(entry, values);
    },
    /** Sets the values of a key without a row, even if they are empty. */
    setFirst: (key: Row, values: Row): void => {
      const entry = entryOf(key);
      if (entry.values === null) change(entry, values);
    },
    /** Ends a block: the previous values of keys that changed in it become periods. */
    endBlock: (block: number): void => {
      for (const entry of inBlock) {
        const { key, since, atBlockStart } = entry;
        if (atBlockStart !== null && since !== null && since < block) {
          periods.push({ ...key, from_block: since, to_block: block - 1, ...atBlockStart });
        }
        entry.since = block;
        entry.isTouched = true;
      }
      inBlock.clear();
    },
    periods,
    /** The rows of keys that changed. */
    latest: (): Row[] =>
      [...entries.values()].flatMap(({ key, values, since, isTouched }) => (isTouched ? [{ ...key, since_block: since, ...values }] : [])),
  };
};
