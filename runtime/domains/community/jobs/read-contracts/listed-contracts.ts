import { bytesArray } from "../../../../database/codecs.ts";
import type { DatabaseClient, Queryable } from "../../../../database/database.ts";
import { identifier, sql } from "../../../../database/sql.ts";
import type { Protocol } from "../../../../declarations/protocol.ts";
import { writeRows } from "../../../../indexer/storage/write-rows.ts";
import { type Address, zeroAddress } from "../../../../lib/hex.ts";
import { groupReads } from "../../group-reads.ts";
import { createDeclaredFold } from "../../projection/index.ts";
import { readsTable, tableOf } from "../../relations.ts";
import { foldLogsOf } from "../../stored-logs.ts";
import type { DueRead } from "./declared-reads.ts";
import type { ReadResult } from "./read-portion.ts";
import { maxAdded } from "./settings.ts";

/** A kind of contract that a read lists. */
export interface ListedKind {
  readonly protocol: Protocol;
  readonly kind: string;
  /** The read's result table, and its address column. */
  readonly table: string;
  readonly column: string;
}

/** A contract that a read's results list, with their lowest block and the read queued for it. */
export interface ListedContract {
  readonly listing: ListedKind;
  readonly address: Address;
  readonly block: number;
  readonly due: DueRead;
}

/** The kinds of contract that the protocols' reads list. */
export const listedKinds = (protocols: readonly Protocol[]): ListedKind[] =>
  protocols.flatMap((protocol) =>
    Object.entries(protocol.contracts).flatMap(([kind, { listedBy }]) =>
      listedBy.map(({ read, column }) => ({ protocol, kind, table: tableOf(protocol.id, read), column })),
    ),
  );

/** The contracts that results list. */
export const contractsIn = (kinds: readonly ListedKind[], results: readonly ReadResult[]): ListedContract[] => {
  const found = new Map<string, ListedContract>();
  for (const { due, table, row } of results.flatMap((result) => result.rows.map((resultRow) => ({ due: result.due, ...resultRow })))) {
    for (const listing of kinds.filter((kind) => kind.table === table)) {
      const block = Number(row.block_number);
      const listed = [row[listing.column] ?? []].flat().map((address) => String(address) as Address);
      for (const address of listed.filter((candidate) => candidate !== zeroAddress)) {
        const key = `${listing.protocol.id} ${listing.kind} ${address}`;
        const earliest = found.get(key);
        if (earliest === undefined || block < earliest.block) found.set(key, { listing, address, block, due });
      }
    }
  }
  return [...found.values()];
};

/** The listed contracts not stored yet. Served by the primary key of the contract tables. */
export const unknownContracts = async (
  { query }: Pick<Queryable, "query">,
  chainId: number,
  listed: readonly ListedContract[],
): Promise<ListedContract[]> => {
  const unknown: ListedContract[] = [];
  for (const listing of new Set(listed.map((contract) => contract.listing))) {
    const ofListing = listed.filter((contract) => contract.listing === listing);
    const rows = await query<{ address: Address }>(
      sql`SELECT address FROM ${identifier(tableOf(listing.protocol.id, "contracts"))} WHERE chain_id = $1 AND kind = $2 AND address = ANY($3::bytea[])`,
      [chainId, listing.kind, bytesArray(ofListing.map(({ address }) => address))],
    );
    const stored = new Set(rows.map(({ address }) => address));
    unknown.push(...ofListing.filter(({ address }) => !stored.has(address)));
  }
  return unknown;
};

/**
 * Stores listed contracts between two batches. Adds unknown contracts with the rows of all their stored logs, including logs before the result that
 * lists them, and lowers known contracts' first block to the earliest result's block. Queues periodic reads for blocks scheduled
 * without these contracts. No batch is written meanwhile, so the number of added contracts is limited; a read that lists more is queued again and
 * adds the rest when it is repeated.
 */
export const storeListed = async (
  client: DatabaseClient,
  chainId: number,
  listed: readonly ListedContract[],
  unknown: readonly ListedContract[],
  max = maxAdded,
): Promise<void> => {
  const added = await addContracts(client, chainId, unknown, max);
  for (const listing of new Set(listed.map((contract) => contract.listing))) {
    const ofListing = listed.filter((contract) => contract.listing === listing);
    const lowered = await lowerFirstBlocks(client, chainId, listing, ofListing);
    const addedOfListing = added.filter((contract) => contract.listing === listing);
    await queueScheduled(client, chainId, listing, [
      ...lowered,
      ...addedOfListing.map(({ address, block }) => ({ address, block, known: null })),
    ]);
  }
  const repeated = new Set(unknown.slice(added.length).map(({ due }) => due));
  await writeRows(client, chainId, [readsTable], { [readsTable.name]: [...repeated].map((due) => ({ ...due, attempts: 0 })) });
};

/** The blocks of a contract from `block` to `known` - 1; no upper bound if `known` is null. */
interface NewBlocks {
  readonly address: Address;
  readonly block: number;
  readonly known: number | null;
}

const lowerFirstBlocks = (
  client: DatabaseClient,
  chainId: number,
  listing: ListedKind,
  listed: readonly ListedContract[],
): Promise<NewBlocks[]> =>
  client.query<NewBlocks>(
    sql`WITH lower AS (
       SELECT c.address, l.block, c.block_number AS known FROM ${identifier(tableOf(listing.protocol.id, "contracts"))} c
       JOIN unnest($3::bytea[], $4::int8[]) AS l(address, block) ON l.address = c.address
       WHERE c.chain_id = $1 AND c.kind = $2 AND c.block_number > l.block)
     UPDATE ${identifier(tableOf(listing.protocol.id, "contracts"))} c SET block_number = lower.block FROM lower
     WHERE c.chain_id = $1 AND c.kind = $2 AND c.address = lower.address RETURNING lower.address, lower.block, lower.known`,
    [chainId, listing.kind, bytesArray(listed.map(({ address }) => address)), listed.map(({ block }) => block)],
  );

/** Adds unknown contracts up to the limits, at least one, and returns those added. A contract is always added with all of its logs. */
const addContracts = async (
  client: DatabaseClient,
  chainId: number,
  unknown: readonly ListedContract[],
  max: typeof maxAdded,
): Promise<ListedContract[]> => {
  const added: ListedContract[] = [];
  let logs = 0;
  for (const contract of unknown) {
    if (added.length >= max.contracts || logs >= max.logs) break;
    logs += await addContract(client, chainId, contract);
    added.push(contract);
  }
  return added;
};

/** Adds a contract with the rows of its stored logs, and returns the number of logs. */
const addContract = async (
  client: DatabaseClient,
  chainId: number,
  { listing: { protocol, kind }, address, block }: ListedContract,
): Promise<number> => {
  // Contracts at fixed addresses already have their rows.
  const fold = createDeclaredFold(protocol, new Map());
  const { contracts, events, skipped } = fold.relations;
  const tables = [...events.map(({ rows }) => rows.table), skipped.table, readsTable];
  let count = 0;
  for await (const { rows, logCount } of foldLogsOf(client, fold, { chainId, address, kind })) {
    await writeRows(client, chainId, tables, rows);
    count += logCount;
  }
  await writeRows(client, chainId, [contracts.table], {
    [contracts.table.name]: [{ address, kind, block_number: block, log_index: null }],
  });
  return count;
};

/** Queues the periodic reads that were scheduled for these blocks without these contracts. Served by the primary key of the schedule. */
const queueScheduled = async (
  client: DatabaseClient,
  chainId: number,
  { protocol, kind }: ListedKind,
  contracts: readonly NewBlocks[],
): Promise<void> => {
  const periodic = groupReads(protocol).flatMap(([read]) => (read?.contract === kind && read.everyBlocks !== null ? [read] : []));
  for (const { name, everyBlocks } of contracts.length === 0 ? [] : periodic)
    await client.query(
      sql`INSERT INTO community_reads (chain_id, protocol, read_name, contract, arguments, block_number, attempts)
       SELECT s.chain_id, s.protocol, s.read_name, c.address, '', b.number, 0
       FROM community_read_schedule s CROSS JOIN unnest($4::bytea[], $5::int8[], $6::int8[]) AS c(address, first, known)
       CROSS JOIN LATERAL generate_series(
         (greatest(c.first, s.from_block) + $7::int8 - 1) / $7::int8 * $7::int8, least(s.to_block, c.known - 1), $7::int8) AS b(number)
       WHERE s.chain_id = $1 AND s.protocol = $2 AND s.read_name = $3
       ON CONFLICT (chain_id, protocol, read_name, contract, arguments, block_number) DO NOTHING`,
      [
        chainId,
        protocol.id,
        name,
        bytesArray(contracts.map(({ address }) => address)),
        contracts.map(({ block }) => block),
        contracts.map(({ known }) => known),
        everyBlocks,
      ],
    );
};
