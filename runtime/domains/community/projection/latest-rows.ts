import type { LatestTable, Row, StateLoad } from "../../../indexer/projection.ts";
import { valueColumnsOf } from "../../../indexer/projection.ts";
import type { Key, State } from "../../../indexer/state/state.ts";
import { createValueHistory } from "../../../indexer/state/value-history.ts";
import type { EventRelations } from "../relations.ts";

/** The load of a table's newest rows. */
export const latestLoad = (table: LatestTable): StateLoad => ({
  table: table.name,
  key: Object.fromEntries(table.key.map((column) => [column, table.columns[column] ?? "bytea"])),
  valueColumns: ["since_block", ...valueColumnsOf(table)],
});

/** The key of a row in the table of newest rows; null if the event variant lacks one of its columns. */
export const latestKeyOf = ({ key }: LatestTable, row: Row): Key | null => {
  const parts = key.map((column) => row[column] ?? null);
  return parts.includes(null) ? null : parts.map(String);
};

/** Collects the newest row of each key, block by block; null if the declaration has no table of newest rows. */
export const createLatestRows = ({ latest }: EventRelations, state: State) => {
  if (latest === null) return null;
  const { table } = latest.current;
  const columns = valueColumnsOf(table);
  const history = createValueHistory(
    table,
    () => false,
    (key) => state.get(table.name, ...table.key.map((column) => String(key[column]))),
  );
  return {
    add: (row: Row): void => {
      if (latestKeyOf(table, row) === null) return;
      const pick = (names: readonly string[]): Row => Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
      history.set(pick(table.key), pick(columns));
    },
    endBlock: history.endBlock,
    rows: (): Record<string, readonly Row[]> => ({ [table.name]: history.latest(), [latest.periods.table.name]: history.periods }),
  };
};
