import type { ChainTransaction } from "../../../../runtime/chain/types.ts";
import { poolsProjection } from "../../../../runtime/domains/pools/projection/index.ts";
import type {
  DecodedBlock,
  DecodedEvent,
  Erc20Transfer,
  EventPosition,
  PoolEventFields,
} from "../../../../runtime/events/decoded-block.ts";
import type { Row } from "../../../../runtime/indexer/projection.ts";
import { createState, keyText } from "../../../../runtime/indexer/state/state.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";

/** An address that repeats one hexadecimal digit. */
export const account = (digit: string): Address => `0x${digit.repeat(40)}`;

/** An event without its log index, which `blockOf` assigns by its position in the list. It is in transaction 0 by default. */
export type EmittedEvent = { readonly address: Address; readonly transactionIndex?: number } & (
  | PoolEventFields
  | Pick<Erc20Transfer, "kind" | "from" | "to" | "amount">
);

/** The sender of the transaction at an index in every block. */
export const originOf = (transactionIndex: number): Address => account(String("abcdef"[transactionIndex] ?? "a"));

export const blockOf = (number: number, emitted: readonly EmittedEvent[]): DecodedBlock => {
  const transactions = [0, 1, 2, 3].map((index) => ({ index, from: originOf(index) }) as ChainTransaction);
  const events = emitted.map((event, logIndex) => ({ transactionIndex: 0, logIndex, ...event }) as EventPosition as DecodedEvent);
  return { block: { number, timestamp: number * 40_000, transactions } as unknown as DecodedBlock["block"], events };
};

type Rows = Record<string, Row[]>;

/** Returns the newest of the matching rows. */
const newest = (rows: readonly Row[], by: string, matches: (row: Row) => boolean): Row | undefined =>
  rows
    .filter(matches)
    .reduce<Row | undefined>((best, row) => (best === undefined || Number(row[by]) >= Number(best[by]) ? row : best), undefined);

/** Returns the state that the database would load from these rows, including views. */
const stateOf = (rows: Rows, blocks: readonly DecodedBlock[]) => {
  const keysToLoad = poolsProjection.keysToLoad(blocks, { from: 0, baseBlock: 0, nativeAccounting: "none", wrappedNative: new Set() });
  const table = (name: string): Row[] => rows[name] ?? [];
  const sumsOfPool = (name: string, pool: unknown, side?: unknown): Row | undefined => {
    const announced = table("pools").find((row) => row.pool === pool && row.announcement === 0);
    const token = side === undefined ? undefined : Number(side) === 0 ? announced?.token0 : announced?.token1;
    return (
      announced &&
      newest(table(name), "block_number", (row) => row.factory === announced.factory && (token === undefined || row.token === token))
    );
  };
  const loaded = Object.entries(keysToLoad).map(([load, keys]) => {
    const definition = poolsProjection.loads[load];
    if (definition === undefined) throw new Error(`Unknown load ${load}`);
    const columns = Object.keys(definition.key);
    const matching = [...keys.values()].flatMap((key): [string, Row][] => {
      const row =
        load === "exchangesOfPools"
          ? sumsOfPool("exchange_sums", key[0])
          : load === "exchangeTokensOfPools"
            ? sumsOfPool("exchange_token_sums", key[0], key[1])
            : newest(table(definition.table), definition.newestBy ?? "block_number", (candidate) =>
                columns.every((column, position) => candidate[column] === key[position]),
              );
      return row === undefined ? [] : [[keyText(key), row]];
    });
    return [load, new Map(matching)] as const;
  });
  return createState(Object.fromEntries(loaded));
};

/** Folds blocks in batches of `batchSize`, each based on the previous batches' rows. */
export const foldPools = (blocks: readonly DecodedBlock[], batchSize = blocks.length): Rows => {
  const rows: Rows = {};
  for (let start = 0; start < blocks.length; start += batchSize) {
    const batch = blocks.slice(start, start + batchSize);
    const written = poolsProjection.fold(batch, {
      chain: { from: 0, baseBlock: 0, nativeAccounting: "none", wrappedNative: new Set() },
      state: stateOf(rows, batch),
      baseOutcome: () => {
        throw new Error("Unexpected read from the node");
      },
    });
    for (const [name, added] of Object.entries(written)) rows[name] = [...(rows[name] ?? []), ...added];
  }
  return rows;
};
