import type { Database } from "../../../runtime/database/database.ts";
import type { Address, Hash } from "../../../runtime/lib/hex.ts";

/** The generated rows' chain and addresses. */
export const longLists = {
  chainId: 31337,
  contract: `0x${"c1".repeat(20)}`,
  otherContract: `0x${"c2".repeat(20)}`,
  topic: `0x${"70".repeat(32)}`,
  wallet: `0x${"a1".repeat(20)}`,
  factory: `0x${"f1".repeat(20)}`,
  sharedPool: `0x${"f2".repeat(20)}`,
  /** Logs of the contract, transactions with transfers, and actions in each block. */
  rowsPerBlock: 5,
} as const satisfies Record<string, number | Address | Hash>;

const { chainId, contract, otherContract, topic, wallet, factory, sharedPool } = longLists;
const literal = (hex: string): string => `'\\x${hex.slice(2)}'::bytea`;
const counterparty = literal(`0x${"b1".repeat(20)}`);

const selectBlocks = (branch: number, first: number, last: number): string =>
  `SELECT ${chainId}, n, sha256(('${branch}:' || n)::bytea), sha256(('${branch}:' || n - 1)::bytea), 1700000000 + n, '\\x00', '\\x', 0, 0, NULL, 0, 0
   FROM generate_series(${first}, ${last}) AS n`;

/**
 * Adds blocks. Each has five logs from a contract and one from another with the same topic, five transactions with token transfers from or to a wallet,
 * the fifth with both, and five of the wallet's exchange actions, two of them in a shared pool. Rows are written with SQL, because mining
 * this many blocks on a node would take an hour.
 */
export async function addBlocks({ query }: Pick<Database, "query">, first: number, last: number, branch = 0): Promise<void> {
  const blocks = `generate_series(${first}, ${last}) AS b`;
  await query(`INSERT INTO blocks ${selectBlocks(branch, first, last)}`, []);
  await query(
    `INSERT INTO logs SELECT ${chainId}, b, i, i, CASE WHEN i < 5 THEN ${literal(contract)} ELSE ${literal(otherContract)} END, ${literal(topic)}, NULL, NULL, NULL, '\\x'
     FROM ${blocks}, generate_series(0, 5) AS i`,
    [],
  );
  await query(
    `INSERT INTO transfers SELECT ${chainId}, b, i, least(i, 4), i, 1, ${literal(contract)},
       CASE WHEN i % 2 = 0 THEN ${literal(wallet)} ELSE ${counterparty} END, CASE WHEN i % 2 = 1 THEN ${literal(wallet)} ELSE ${counterparty} END, NULL, 1, NULL, NULL
     FROM ${blocks}, generate_series(0, 5) AS i`,
    [],
  );
  await query(
    `INSERT INTO pool_actions SELECT ${chainId}, b, i, i, ${literal(sharedPool)}, CASE WHEN i % 2 = 0 THEN ${literal(factory)} END, 1, ${literal(wallet)}, NULL, 0, 0, 0, 0, NULL
     FROM ${blocks}, generate_series(0, 4) AS i`,
    [],
  );
  await query(
    `INSERT INTO pool_action_accounts SELECT ${chainId}, ${literal(wallet)}, CASE WHEN i % 2 = 0 THEN ${literal(factory)} ELSE ${literal(sharedPool)} END, b, i
     FROM ${blocks}, generate_series(0, 4) AS i`,
    [],
  );
}

/** Adds the ordinals of the wallet's transactions with token transfers, for blocks that `addBlocks` added. Blocks start at 1. */
export async function addOrdinals({ query }: Pick<Database, "query">, first: number, last: number): Promise<void> {
  await query(
    `INSERT INTO transfer_transactions SELECT ${chainId}, ${literal(wallet)}, (b - 1) * 5 + i, b, i FROM generate_series(${first}, ${last}) AS b, generate_series(0, 4) AS i`,
    [],
  );
}

/** Adds the contract's ids 10, 20, 30 and so on in a block; every tenth id has two standards. */
export async function addTokens({ query }: Pick<Database, "query">, firstId: number, lastId: number, block: number): Promise<void> {
  await query(
    `INSERT INTO nft_tokens SELECT ${chainId}, ${literal(contract)}, id * 10, standard, ${block}, NULL
     FROM generate_series(${firstId}, ${lastId}) AS id, generate_series(2, 3) AS standard WHERE standard = 2 OR id % 10 = 0`,
    [],
  );
}

/** Removes the rows above a block, as a rollback does. */
export async function removeAbove({ query }: Pick<Database, "query">, block: number): Promise<void> {
  for (const table of ["logs", "transfers", "pool_actions", "pool_action_accounts", "nft_tokens"])
    await query(`DELETE FROM ${table} WHERE block_number > $1`, [block]);
  await query("DELETE FROM blocks WHERE number > $1", [block]);
}
