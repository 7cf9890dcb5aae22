import type { CopyValue } from "../../database/copy.ts";

/** A table row by column names; `chain_id` is added when it is written. */
export type Row = Readonly<Record<string, CopyValue>>;

export type KeyPart = string | number | bigint;
/** A key's values in column order. */
export type Key = readonly KeyPart[];
/** Distinct keys by their text. */
export type KeySet = ReadonlyMap<string, Key>;

/** A key as text; no part contains a bar. Short keys have their own cases for speed, because every key of every transfer is converted. */
export const keyText = (key: Key): string => {
  switch (key.length) {
    case 1:
      return String(key[0]);
    case 2:
      return `${key[0]}|${key[1]}`;
    case 3:
      return `${key[0]}|${key[1]}|${key[2]}`;
    default:
      return key.join("|");
  }
};

/** An empty set of keys. */
export const createKeySet = () => {
  const keys = new Map<string, Key>();
  return {
    keys: keys as KeySet,
    add: (...key: Key): void => {
      const text = keyText(key);
      if (!keys.has(text)) keys.set(text, key);
    },
  };
};

/** Stored rows that a fold starts from, by load and key. */
export interface State {
  get(load: string, ...key: Key): Row | undefined;
}

/** Creates a state from each load's rows, by key text. */
export const createState = (rows: Readonly<Record<string, { get(key: string): Row | undefined }>>): State => ({
  get: (load, ...key) => rows[load]?.get(keyText(key)),
});
