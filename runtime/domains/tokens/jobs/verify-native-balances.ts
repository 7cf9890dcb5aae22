import type { Source } from "../../../chain/source.ts";
import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { sql } from "../../../database/sql.ts";
import { type Address, type Hash, nativeTokenAddress } from "../../../lib/hex.ts";
import { standards } from "../projection/standards.ts";

/** A native balance at the indexed head that differs from the node's. */
export interface NativeDifference {
  readonly owner: Address;
  readonly height: number;
  readonly indexed: bigint;
  readonly reported: bigint;
}

type Node = Pick<Source, "balances" | "hashesOf">;

/** The size of each half of a sample: the most recently touched accounts, and the next ones in an iteration over all accounts. */
const halfSample = 25;

const isKnownNative = sql`chain_id = $1 AND token = $2 AND standard = ${standards.native} AND balance IS NOT NULL`;
const recentAccounts = sql`SELECT owner FROM balances WHERE ${isKnownNative} ORDER BY since_block DESC LIMIT ${halfSample}`;
const accountsAfter = sql`SELECT owner FROM balances WHERE ${isKnownNative} AND owner > $3 ORDER BY owner LIMIT ${halfSample}`;

/**
 * The next accounts to compare, and the account after which the iteration continues; null if it starts over. Served by balances_roll_back and the primary key.
 */
export async function sampleNativeAccounts(
  database: Queryable,
  chainId: number,
  after: Address | null,
): Promise<{ readonly owners: readonly Address[]; readonly last: Address | null }> {
  const parameters = [chainId, bytes(nativeTokenAddress)];
  const [recent, next] = await Promise.all([
    database.query<{ owner: Address }>(recentAccounts, parameters),
    database.query<{ owner: Address }>(accountsAfter, [...parameters, bytes(after ?? "0x")]),
  ]);
  return { owners: [...new Set([...recent, ...next].map(({ owner }) => owner))], last: next[halfSample - 1]?.owner ?? null };
}

/** One statement, so that balances and head are consistent. Served by the primary keys. */
const balancesAtHead = sql`SELECT k.owner, k.balance, b.number, b.hash FROM projection_checkpoints p
   JOIN blocks b ON b.chain_id = p.chain_id AND b.number = p.block_number
   JOIN balances k ON k.chain_id = p.chain_id AND k.token = $2 AND k.standard = ${standards.native} AND k.owner = ANY ($3::bytea[])
   WHERE p.chain_id = $1 AND p.projection = 'tokens' AND k.balance IS NOT NULL`;

/** The accounts whose balance at the indexed head differs from the node's; null if the comparison is void because the node no longer has that block. */
export async function findNativeDifferences(
  database: Queryable,
  node: Node,
  chainId: number,
  owners: readonly Address[],
): Promise<NativeDifference[] | null> {
  const rows = await database.query<{ owner: Address; balance: string; number: number; hash: Hash }>(balancesAtHead, [
    chainId,
    bytes(nativeTokenAddress),
    owners.map(bytes),
  ]);
  const head = rows[0];
  if (head === undefined) return [];
  const nodeBalances = await node.balances(
    rows.map(({ owner }) => owner),
    head.number,
    head.hash,
  );
  const [hash] = await node.hashesOf([head.number]);
  if (hash !== head.hash) return null;
  return rows.flatMap(({ owner, balance }, position) => {
    const reported = nodeBalances[position] ?? null;
    if (reported === null || reported === BigInt(balance)) return [];
    return [{ owner, height: head.number, indexed: BigInt(balance), reported }];
  });
}
