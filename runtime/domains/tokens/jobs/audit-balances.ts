import type { Source } from "../../../chain/source.ts";
import type { Queryable } from "../../../database/database.ts";
import { type Sql, sql } from "../../../database/sql.ts";
import { type AuditRow, auditRow, type Compared } from "../../../lib/audit-row.ts";
import { groupBy } from "../../../lib/group-by.ts";
import type { Address } from "../../../lib/hex.ts";
import type { BalanceKey } from "../projection/base-reads.ts";
import { standards } from "../projection/standards.ts";
import { createHolderQueries } from "../queries/holder.ts";
import { readBalancesAt } from "./read-balances.ts";
import { decodeCurrentBalance } from "./reconcile-balances/as-of-head.ts";
import { decodeUint256, totalSupplyCall } from "./reconcile-balances/supplies/read-uint256.ts";

interface SampledBalance {
  readonly owner: Address;
  readonly token: Address;
  readonly standard: number;
  readonly token_id: string | null;
  readonly balance: string | null;
  /** False if the contract's result has a different meaning or is inconclusive. */
  readonly is_comparable: boolean;
}

/** The name of the audit's row for native balances. */
export const nativeBalancesSubject = "native balances";

const kinds = [
  { subject: nativeBalancesSubject, standard: standards.native, isById: false },
  { subject: "ERC-20 balances", standard: standards.erc20, isById: false },
  { subject: "ERC-721 balances", standard: standards.erc721, isById: false },
  { subject: "ERC-721 owners", standard: standards.erc721, isById: true },
  { subject: "ERC-1155 balances", standard: standards.erc1155, isById: true },
] as const;

/** Compares up to `sample` balances of each kind as of a block with `eth_getBalance`, `balanceOf` and `ownerOf`, and supplies with `totalSupply`. */
export async function auditBalances(
  database: Queryable,
  source: Pick<Source, "balances" | "runCalls">,
  chainId: number,
  height: number,
  sample: number,
): Promise<AuditRow[]> {
  const rows: AuditRow[] = [];
  for (const { subject, standard, isById } of kinds) {
    const parameters = [chainId, standard, height, sample];
    const balances = await database.query<SampledBalance>(isById ? sampleNfts : sampleBalances, parameters);
    rows.push(auditRow(subject, await compare(source, balances, height)));
  }
  const readings = await database.query<SampledReading>(sampleReadings, [chainId, height, sample]);
  rows.push(auditRow("balances read from contracts", await compareReadings(source, readings)));
  const supplies = await database.query<SampledSupply>(sampleSupplies, [chainId, height, sample]);
  const compareGroup = (isRead: boolean) =>
    compareSupplies(
      database,
      source,
      chainId,
      supplies.filter(({ is_read }) => is_read === isRead),
    );
  rows.push(auditRow("ERC-20 supplies", await compareGroup(false)));
  rows.push(auditRow("supplies read from contracts", await compareGroup(true)));
  return rows;
}

/** A token, and the block at which its supply is compared. */
interface SampledSupply {
  readonly token: Address;
  readonly block: number;
  /** Whether the supply changes without events; it is then compared as of its last reading. */
  readonly is_read: boolean;
}

/** Compares served supplies with `totalSupply()`; for a contract without it, the node's value is null. */
async function compareSupplies(
  database: Queryable,
  source: Pick<Source, "runCalls">,
  chainId: number,
  supplies: readonly SampledSupply[],
): Promise<Compared[]> {
  const { tokenTotalsAt } = createHolderQueries(database);
  const compared: Compared[] = [];
  for (const [block, group] of groupBy(supplies, (supply) => supply.block)) {
    const calls = group.map(({ token }) => ({ to: token, data: totalSupplyCall }) as const);
    const outcomes = await source.runCalls(calls, block);
    for (const [position, { token }] of group.entries()) {
      const result = decodeUint256(outcomes[position]);
      const totals = await tokenTotalsAt(chainId, token, standards.erc20, block);
      compared.push({
        subject: `supply of ${token} at block ${block}`,
        index: totals?.supply ?? null,
        node: typeof result === "bigint" ? result.toString() : null,
      });
    }
  }
  return compared;
}

type SampledReading = SampledBalance & { readonly since_block: number };

/** Compares readings with the contract as of each reading's block, because these balances change without events. */
async function compareReadings(source: Pick<Source, "balances" | "runCalls">, readings: readonly SampledReading[]): Promise<Compared[]> {
  const compared: Compared[] = [];
  for (const [height, group] of groupBy(readings, ({ since_block }) => since_block))
    compared.push(...(await compare(source, group, height)));
  return compared;
}

async function compare(
  source: Pick<Source, "balances" | "runCalls">,
  balances: readonly SampledBalance[],
  height: number,
): Promise<Compared[]> {
  const keys = balances.map(({ owner, token, standard, token_id }) => ({
    owner,
    token,
    standard,
    tokenId: token_id === null ? null : BigInt(token_id),
  }));
  const nodeBalances = await readBalancesAt(source, keys, height, decodeCurrentBalance);
  const isDenied = (position: number): boolean => nodeBalances[position] === 0n && balances[position]?.balance === "1";
  const deniedPositions = keys.flatMap((key, position) => (isOwnership(key) && isDenied(position) ? [position] : []));
  const owners = await punkOwners(
    source,
    deniedPositions.flatMap((position) => keys[position] ?? []),
    height,
  );
  deniedPositions.forEach((position, index) => {
    if (owners[index] === keys[position]?.owner) nodeBalances[position] = 1n;
  });
  return balances.map((balance, index) => ({
    subject: [balance.token, balance.token_id, "of", balance.owner, `at block ${height}`].filter((part) => part !== null).join(" "),
    index: balance.balance,
    node: balance.is_comparable ? (nodeBalances[index]?.toString() ?? null) : null,
  }));
}

const isOwnership = ({ standard, tokenId }: BalanceKey): boolean => standard === standards.erc721 && tokenId !== null;

/** punkIndexToAddress(uint256) of CryptoPunks and its copies, which predate ERC-721 and have no `ownerOf`. */
const punkIndexToAddress = "0x58178168";

/** The owners of ids according to punkIndexToAddress; undefined if a contract lacks the function. */
async function punkOwners(source: Pick<Source, "runCalls">, keys: readonly BalanceKey[], height: number): Promise<(Address | undefined)[]> {
  if (keys.length === 0) return [];
  const calls = keys.map(({ token, tokenId }) => ({
    to: token,
    data: `${punkIndexToAddress}${(tokenId ?? 0n).toString(16).padStart(64, "0")}` as const,
  }));
  const outcomes = await source.runCalls(calls, height);
  return outcomes.map((outcome): Address | undefined =>
    outcome.ok && outcome.data.length === 66 ? `0x${outcome.data.slice(26)}` : undefined,
  );
}

/**
 * Whether `balanceOf` and `ownerOf` are comparable with rows `k` of an ERC-721 collection. They are not if the contract is also an ERC-20 token, because it
 * returns ERC-20 balances, or if it lacks the functions of a collection and was classified as one only by the shape of its logs. Served by the primary key of
 * contract_standards.
 */
const isComparable = (isIncomparable: Sql): Sql =>
  sql`NOT EXISTS (SELECT FROM contract_standards c WHERE c.chain_id = $1 AND c.address = k.token AND k.standard = ${standards.erc721} AND (${isIncomparable}))
   AS is_comparable`;

/** A supply with at least this many offsets is treated as continuously changing. */
const manyOffsets = 16;

/**
 * Samples ERC-20 tokens in hash order. A supply that changes without events is compared as of its last reading. Scans the chain's rows of token_standards once
 * and reads each token's last entries in supply_offsets.
 */
const sampleSupplies = sql`SELECT t.token, n.token IS NOT NULL OR o.steps >= ${manyOffsets} AS is_read,
     CASE WHEN n.token IS NOT NULL OR o.steps >= ${manyOffsets} THEN coalesce(o.block, $2) ELSE $2::int8 END AS block
   FROM (SELECT address AS token FROM token_standards WHERE chain_id = $1 AND standard = ${standards.erc20} AND block_number <= $2
         ORDER BY md5(address) LIMIT $3) t
   LEFT JOIN node_sourced_tokens n ON n.chain_id = $1 AND n.token = t.token AND n.standard = ${standards.erc20}
   CROSS JOIN LATERAL (SELECT max(block_number) AS block, count(*) AS steps FROM (SELECT block_number FROM supply_offsets s
     WHERE s.chain_id = $1 AND s.token = t.token AND s.block_number <= $2 ORDER BY block_number DESC LIMIT ${manyOffsets}) s) o`;

/** Samples keys in hash order, which yields the same sample each time, spread over the table. Scans the standard's rows once. */
const sampleBalances = sql`SELECT k.owner, k.token, k.standard, NULL AS token_id, CASE WHEN k.since_block <= $3 THEN k.balance ELSE p.balance END AS balance,
     ${isComparable(sql`c.is_coin OR NOT c.is_collection`)}
   FROM (SELECT b.* FROM balances b
         LEFT JOIN node_sourced_tokens n ON n.chain_id = $1 AND n.token = b.token AND n.standard = b.standard
         WHERE b.chain_id = $1 AND b.standard = $2 AND n.token IS NULL ORDER BY md5(b.owner || b.token) LIMIT $4) k
   LEFT JOIN LATERAL (
     SELECT balance, from_block FROM balance_periods h
     WHERE h.chain_id = $1 AND h.owner = k.owner AND h.token = k.token AND h.standard = k.standard AND h.from_block <= $3
     ORDER BY h.from_block DESC LIMIT 1) p ON k.since_block > $3
   WHERE k.since_block <= $3 OR p.from_block IS NOT NULL`;

/** The last readings of node-sourced tokens. Served by balances_rank. */
const sampleReadings = `SELECT b.owner, b.token, b.standard, NULL AS token_id, b.balance, b.since_block, true AS is_comparable FROM node_sourced_tokens n
   JOIN balances b ON b.chain_id = $1 AND b.token = n.token AND b.standard = n.standard AND b.balance > 0 AND b.standard > 0
   WHERE n.chain_id = $1 AND b.since_block <= $2 ORDER BY md5(b.owner || b.token) LIMIT $3`;

const sampleNfts = sql`SELECT k.owner, k.token, k.standard, k.token_id, CASE WHEN k.since_block <= $3 THEN k.balance ELSE p.balance END AS balance,
     ${isComparable(sql`NOT c.is_collection`)}
   FROM (SELECT * FROM nft_balances WHERE chain_id = $1 AND standard = $2
         ORDER BY md5(owner || token || int8send((token_id % 1000000007)::int8)) LIMIT $4) k
   LEFT JOIN LATERAL (
     SELECT balance, from_block FROM nft_balance_periods h
     WHERE h.chain_id = $1 AND h.owner = k.owner AND h.token = k.token AND h.token_id = k.token_id AND h.standard = k.standard AND h.from_block <= $3
     ORDER BY h.from_block DESC LIMIT 1) p ON k.since_block > $3
   WHERE k.since_block <= $3 OR p.from_block IS NOT NULL`;
