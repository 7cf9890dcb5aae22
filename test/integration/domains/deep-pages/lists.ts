import type { Queryable } from "../../../../runtime/database/database.ts";
import { createLedgerQueries } from "../../../../runtime/domains/ledger/queries/index.ts";
import { createNftQueries } from "../../../../runtime/domains/nft/queries/index.ts";
import { createPoolQueries } from "../../../../runtime/domains/pools/queries/index.ts";
import { createTokenQueries } from "../../../../runtime/domains/tokens/queries/index.ts";
import { longLists } from "../../../support/database/long-lists.ts";

const { chainId, contract, topic, wallet, factory, sharedPool } = longLists;

/** Reads a page of a list, each row as text. Its calls share the page positions that a server caches; see `createPageReader`. */
export type ReadRows = (limit: number, offset: number) => Promise<string[]>;

/** A list up to a block, and its expected rows. */
export interface List {
  readonly name: string;
  readonly open: (database: Queryable, last: number) => ReadRows;
  /** The rows of a block, newest first. `indexes` are the indexes of the contract's logs, transactions and actions in the block. */
  readonly rowsOf: (block: number, indexes: readonly number[]) => string[];
}

const position = (block: number) => (index: number) => `${block}:${index}`;

/** The lists whose rows are ordered by blocks. */
export const listsByBlock: readonly List[] = [
  {
    name: "logs of a contract",
    open: (database, last) => {
      const ledger = createLedgerQueries(database);
      return async (limit, offset) =>
        (await ledger.logs(chainId, { first: 0, last, address: contract }, limit, offset)).map((row) =>
          position(row.block_number)(row.log_index),
        );
    },
    rowsOf: (block, indexes) => indexes.map(position(block)),
  },
  {
    name: "logs with a topic",
    open: (database, last) => {
      const ledger = createLedgerQueries(database);
      return async (limit, offset) =>
        (await ledger.logs(chainId, { first: 0, last, topics: [topic] }, limit, offset)).map((row) =>
          position(row.block_number)(row.log_index),
        );
    },
    // The other contract's log has index 5.
    rowsOf: (block, indexes) => [5, ...indexes].map(position(block)),
  },
  {
    name: "a wallet's transactions with transfers of a token",
    open: (database, last) => {
      const tokens = createTokenQueries(database);
      return async (limit, offset) =>
        (await tokens.transferTransactionsOfToken(chainId, wallet, contract, 0, last, limit, offset)).positions.map((row) =>
          position(row.block_number)(row.transaction_index),
        );
    },
    rowsOf: (block, indexes) => indexes.map(position(block)),
  },
  {
    name: "an account's actions on an exchange",
    open: (database, last) => {
      const pools = createPoolQueries(database);
      return async (limit, offset) =>
        (await pools.actionsOfAccount(chainId, { factory, sharedPools: [sharedPool] }, wallet, last, limit, offset)).rows.map((row) =>
          position(row.block_number)(row.log_index),
        );
    },
    rowsOf: (block, indexes) => indexes.map(position(block)),
  },
];

/** Reads the wallet's transactions with transfers of any token, which have ordinals. */
export const openTransactions = (database: Queryable, last: number): ReadRows => {
  const tokens = createTokenQueries(database);
  return async (limit, offset) =>
    (await tokens.transferTransactions(chainId, wallet, 0, last, limit, offset)).positions.map((row) =>
      position(row.block_number)(row.transaction_index),
    );
};

/** Reads the contract's ids as of a block, as `id:standard`. */
export const openTokens = (database: Queryable, block: number): ReadRows => {
  const nfts = createNftQueries(database);
  return async (limit, offset) =>
    (await nfts.nftTokensAt(chainId, contract, block, limit, offset)).map((row) => `${row.token_id}:${row.standard}`);
};
