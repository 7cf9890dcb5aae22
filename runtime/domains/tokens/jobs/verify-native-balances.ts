import type { Source } from "../../../chain/source.ts";
import { bytes } from "../../../database/codecs.ts";
import type { Queryable } from "../../../database/database.ts";
import { type Address, type Hash, nativeTokenAddress } from "../../../lib/hex.ts";
import { standards } from "../projection/standards.ts";

/** A native balance at the indexed head that the node does not confirm. */
export interface NativeDifference {
  readonly owner: Address;
  readonly height: number;
  readonly indexed: bigint;
  readonly reported: bigint;
}

type Node = Pick<Source, "balances" | "hashesOf">;

/** Half of a sample are the accounts that were touched last, half go round all of them. */
const halfSample = 25;

/** Accounts whose native balance is to be compared next, and where the round goes on. Served by balances_roll_back and the primary key. */
export async function sampleNativeAccounts(
  database: Queryable,
  chainId: number,
  after: Address | null,
): Promise<{ readonly owners: readonly Address[]; readonly last: Address | null }> {
  const known = `chain_id = $1 AND token = $2 AND standard = ${standards.native} AND balance IS NOT NULL`;
  const parameters = [chainId, bytes(nativeTokenAddress)];
  const [recent, round] = await Promise.all([
    database.query<{ owner: Address }>(
      `SELECT owner FROM balances WHERE ${known} ORDER BY since_block DESC LIMIT ${halfSample}`,
      parameters,
    ),
    database.query<{ owner: Address }>(`SELECT owner FROM balances WHERE ${known} AND owner > $3 ORDER BY owner LIMIT ${halfSample}`, [
      ...parameters,
      bytes(after ?? "0x"),
    ]),
  ]);
  // A round that came to its end begins again.
  return { owners: [...new Set([...recent, ...round].map(({ owner }) => owner))], last: round[halfSample - 1]?.owner ?? null };
}

/** Those of some accounts whose balance at the indexed head is another one at the node; null where the node has left that block, and its word is none on the index. */
export async function findNativeDifferences(
  database: Queryable,
  node: Node,
  chainId: number,
  owners: readonly Address[],
): Promise<NativeDifference[] | null> {
  // One statement, so that balances and head are of one moment. Served by the primary keys.
  const rows = await database.query<{ owner: Address; balance: string; number: number; hash: Hash }>(
    `SELECT k.owner, k.balance, b.number, b.hash FROM projection_checkpoints p
     JOIN blocks b ON b.chain_id = p.chain_id AND b.number = p.block_number
     JOIN balances k ON k.chain_id = p.chain_id AND k.token = $2 AND k.standard = ${standards.native} AND k.owner = ANY ($3::bytea[])
     WHERE p.chain_id = $1 AND p.projection = 'tokens' AND k.balance IS NOT NULL`,
    [chainId, bytes(nativeTokenAddress), owners.map(bytes)],
  );
  const head = rows[0];
  if (head === undefined) return [];
  const told = await node.balances(
    rows.map(({ owner }) => owner),
    head.number,
    head.hash,
  );
  const [hash] = await node.hashesOf([head.number]);
  if (hash !== head.hash) return null;
  return rows.flatMap(({ owner, balance }, position) => {
    const said = told[position] ?? null;
    return said === null || said === BigInt(balance) ? [] : [{ owner, height: head.number, indexed: BigInt(balance), reported: said }];
  });
}
