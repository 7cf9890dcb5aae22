import type { Rpc } from "../../../chain/rpc.ts";
import type { Queryable } from "../../../database/database.ts";
import { columnList, identifier, sql } from "../../../database/sql.ts";
import type { Row } from "../../../indexer/projection.ts";
import { keyText, type State } from "../../../indexer/state/state.ts";
import type { Compared } from "../../../lib/audit-row.ts";
import type { Address, Hash } from "../../../lib/hex.ts";
import { contractsLoad, type DeclaredFold } from "../projection/declared-fold.ts";
import { foldEvents } from "../projection/fold.ts";
import type { Relation } from "../relations.ts";
import { cellText, compareRow } from "./compare-row.ts";
import { nodeLogsOf } from "./node-logs.ts";

const blocksPerBatch = 100;

/** The dependencies of `compareEvents`. */
export interface EventComparison {
  readonly database: Queryable;
  readonly rpc: Pick<Rpc, "settle">;
  readonly fold: DeclaredFold;
  readonly chainId: number;
  /** The first indexed block. */
  readonly from: number;
}

/** Compares the stored rows of blocks with rows derived from the node's logs: contracts, events, and logs that could not be decoded. */
export const compareEvents = async (comparison: EventComparison, blocks: readonly number[]): Promise<Compared[]> => {
  const announced = await storedContracts(comparison);
  const topics = comparison.fold.topics;
  const compared: Compared[] = [];
  for (let start = 0; start < blocks.length; start += blocksPerBatch)
    compared.push(...(await compareBlocks(comparison, announced, topics, blocks.slice(start, start + blocksPerBatch))));
  return compared;
};

const compareBlocks = async (
  { database, rpc, fold, chainId, from }: EventComparison,
  announced: FirstBlocks,
  topics: readonly Hash[],
  blocks: readonly number[],
): Promise<Compared[]> => {
  const logs = await nodeLogsOf(rpc, blocks, topics);
  const returnedBlocks = blocks.filter((_, position) => logs[position] !== null);
  const expected = logs.flatMap((block) => {
    if (block === null) return [];
    return [foldEvents(fold, [block], { state: stateBefore(announced, block.block.number), chain: { from } })];
  });
  const compared: Compared[] = [];
  for (const relation of auditedRelations(fold)) {
    const { name } = relation.table;
    const stored = await storedRows(database, relation, chainId, returnedBlocks);
    compared.push(
      ...compareRelation(
        relation,
        relation === fold.relations.contracts ? stored.filter(({ kind }) => !isListed(fold, String(kind))) : stored,
        expected.flatMap((tables) => tables[name] ?? []),
      ),
    );
  }
  const unread = blocks.filter((block) => !returnedBlocks.includes(block));
  return [...compared, ...unread.map((block) => ({ subject: `logs of block ${block}`, index: "stored", node: null }))];
};

const auditedRelations = ({ relations: { contracts, events, skipped } }: DeclaredFold): Relation[] => [
  contracts,
  ...events.map(({ rows }) => rows),
  skipped,
];

const compareRelation = ({ view, table, primaryKey }: Relation, stored: readonly Row[], expected: readonly Row[]): Compared[] => {
  const columns = Object.keys(table.columns);
  const byKey = (rows: readonly Row[]) => new Map(rows.map((row) => [primaryKey.map((column) => cellText(row[column])).join(" "), row]));
  const [found, wanted] = [byKey(stored), byKey(expected)];
  return [...new Set([...found.keys(), ...wanted.keys()])].map((key) => {
    const row = found.get(key) ?? null;
    const other = wanted.get(key) ?? null;
    const subject = `${view} ${key} of block ${cellText((row ?? other)?.block_number)}`;
    return compareRow(subject, columns, row, other);
  });
};

const storedRows = (database: Queryable, { table }: Relation, chainId: number, blocks: readonly number[]): Promise<Row[]> =>
  database.query<Row>(
    sql`SELECT ${columnList(Object.keys(table.columns))} FROM ${identifier(table.name)} WHERE chain_id = $1 AND block_number = ANY($2::int8[])`,
    [chainId, [...blocks]],
  );

/** Whether contracts of a kind are listed by reads. Such contracts cannot be derived from logs, and their events have rows from the first indexed block on. */
const isListed = ({ protocol: { contracts } }: DeclaredFold, kind: string): boolean => (contracts[kind]?.listedBy.length ?? 0) > 0;

/** Below the first indexed block. */
const belowAllBlocks = -1;

/** The first block of each stored contract, by address and kind. */
type FirstBlocks = ReadonlyMap<string, number>;

const storedContracts = async ({ database, fold, chainId }: EventComparison): Promise<FirstBlocks> => {
  const rows = await database.query<{ address: Address; kind: string; block_number: number }>(
    sql`SELECT address, kind, block_number FROM ${identifier(fold.relations.contracts.table.name)} WHERE chain_id = $1`,
    [chainId],
  );
  return new Map(
    rows.map(({ address, kind, block_number }) => [keyText([address, kind]), isListed(fold, kind) ? belowAllBlocks : block_number]),
  );
};

/** The contracts stored before a block; contracts that the block announces follow from its logs. Tables of newest rows are not compared. */
const stateBefore = (contracts: FirstBlocks, block: number): State => ({
  get: (load, ...key) => {
    const first = load === contractsLoad ? contracts.get(keyText(key)) : undefined;
    return first === undefined || first >= block ? undefined : { block_number: first };
  },
});
