import { type LatestTable, type Row, valuesOf } from "../../../indexer/projection.ts";
import { keyText } from "../../../indexer/state/state.ts";

/** One key while it runs through a batch of blocks; values of null are those of a key that never had any. */
interface Entry {
  readonly key: Row;
  values: Row | null;
  since: number | null;
  /** What stood when the block began. */
  standing: Row | null;
  isTouched: boolean;
}

/** What holds of each key of a latest table, block by block, with the periods that it ends. What is nothing makes no key known, unless it is opened. */
export const createSheet = (table: LatestTable, isNothing: (values: Row) => boolean, stored: (key: Row) => Row | undefined) => {
  const columns = valuesOf(table);
  const entries = new Map<string, Entry>();
  const inBlock = new Set<Entry>();
  const periods: Row[] = [];

  const entryOf = (key: Row): Entry => {
    const text = keyText(table.key.map((column) => String(key[column])));
    const known = entries.get(text);
    if (known !== undefined) return known;
    const row = stored(key);
    const values = row === undefined ? null : Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
    const entry: Entry = { key, values, since: row === undefined ? null : Number(row.since_block), standing: null, isTouched: false };
    entries.set(text, entry);
    return entry;
  };

  const change = (entry: Entry, values: Row): void => {
    if (!inBlock.has(entry)) {
      inBlock.add(entry);
      entry.standing = entry.values;
    }
    entry.values = values;
  };

  return {
    /** What holds; null where nothing was ever said. */
    get: (key: Row): Row | null => entryOf(key).values,
    set: (key: Row, values: Row): void => {
      const entry = entryOf(key);
      if (entry.values !== null || !isNothing(values)) change(entry, values);
    },
    /** Sets the first values of a key, even if they are nothing; a key that has values keeps them. */
    open: (key: Row, values: Row): void => {
      const entry = entryOf(key);
      if (entry.values === null) change(entry, values);
    },
    endBlock: (block: number): void => {
      for (const entry of inBlock) {
        const { key, since, standing } = entry;
        if (standing !== null && since !== null && since < block)
          periods.push({ ...key, from_block: since, to_block: block - 1, ...standing });
        entry.since = block;
        entry.isTouched = true;
      }
      inBlock.clear();
    },
    periods,
    latest: (): Row[] =>
      [...entries.values()].flatMap(({ key, values, since, isTouched }) => (isTouched ? [{ ...key, since_block: since, ...values }] : [])),
  };
};
