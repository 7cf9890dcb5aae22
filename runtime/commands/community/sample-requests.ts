import type { Database } from "../../database/database.ts";
import { identifier, joinSql, sql } from "../../database/sql.ts";
import type { Protocol } from "../../declarations/protocol.ts";
import { tableOf } from "../../domains/community/relations.ts";
import { emptyWallet } from "./serve-protocol.ts";

/** Addresses to send requests for. */
export interface SampleAddresses {
  readonly wallets: readonly string[];
  readonly pools: readonly string[];
}

const maxWallets = 5;
const maxPools = 3;

/** Samples wallets from address columns in the protocol's tables, and pools from its contracts. */
export const sampleAddresses = async ({ query }: Database, chainId: number, { id, tables }: Protocol): Promise<SampleAddresses> => {
  const columns = tables.flatMap(({ name, columns }) =>
    columns.filter(({ type }) => type === "address").map((column) => [name, column.name] as const),
  );
  const selects = columns.map(
    ([table, column]) =>
      sql`SELECT address FROM (SELECT DISTINCT ${identifier(column)} AS address FROM ${identifier(tableOf(id, table))} WHERE chain_id = $1 LIMIT 2) found`,
  );
  const wallets =
    selects.length === 0 ? [] : await query<{ address: string }>(sql`${joinSql(selects, sql` UNION `)} LIMIT ${maxWallets}`, [chainId]);
  const pools = await query<{ address: string }>(
    sql`SELECT DISTINCT address FROM ${identifier(tableOf(id, "contracts"))} WHERE chain_id = $1 LIMIT ${maxPools}`,
    [chainId],
  );
  return { wallets: [...wallets.map(({ address }) => address), emptyWallet], pools: pools.map(({ address }) => address) };
};

/** The query strings of requests for an operation with these parameters: each address, without a pool and with each pool. */
export const requestQueries = (parameters: readonly string[], { wallets, pools }: SampleAddresses): string[] => {
  const addresses = parameters.includes("address") ? wallets.map((wallet) => `?address=${wallet}`) : ["?"];
  const poolFilters = parameters.includes("pool-address") ? ["", ...pools.map((pool) => `&pool-address=${pool}`)] : [""];
  return addresses.flatMap((address) => poolFilters.map((pool) => address + pool));
};
