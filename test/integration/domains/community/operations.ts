import { expect } from "vitest";
import { communityOperations } from "../../../../generated/community-items.gen.ts";
import { viewItem } from "../../../../runtime/api/community/view-item.ts";
import { bytes } from "../../../../runtime/database/codecs.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import type { Protocol } from "../../../../runtime/declarations/protocol.ts";
import { createOperationQueries } from "../../../../runtime/domains/community/queries/operation-queries.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { builtInProtocols } from "../../../../runtime/protocols.ts";
import type { TestChain } from "../../../support/chain.ts";

const chainId = 31337;

/** An operation's request parameters. */
export interface OperationParameters {
  readonly height: number;
  readonly wallet?: Address;
  readonly pool?: Address;
  readonly limit?: number;
  readonly offset?: number;
}

/** An operation's items, as its endpoint returns them. */
export type ItemsOf = (operation: string, parameters: OperationParameters) => Promise<Readonly<Record<string, unknown>>[]>;

/** A built-in protocol. @throws {Error} if it is not declared. */
export const builtInProtocol = (id: string): Protocol => {
  const protocol = builtInProtocols.find((declared) => declared.id === id);
  if (protocol === undefined) throw new Error(`${id} is not declared`);
  return protocol;
};

/** Returns a function that runs a protocol's operations; it throws for an operation that is not declared. */
export const createItemsOf =
  (database: Database, { id, operations }: Protocol): ItemsOf =>
  async (operation, { height, wallet, pool, limit = 1000, offset = 0 }) => {
    const query = operations[operation];
    if (query === undefined) throw new Error(`${id} has no operation ${operation}`);
    const rows = await createOperationQueries(database).rowsOf(query, {
      chain: chainId,
      wallet: wallet ?? null,
      pool: pool ?? null,
      as_of_block: height,
      limit,
      offset,
    });
    const object = communityOperations[operation]?.item ?? "";
    return rows.map((row) => viewItem(object, row, () => null) as Record<string, unknown>);
  };

/** Expects pages of seven to contain all of a wallet's transactions, and a request as of an earlier block to return those up to that block. */
export const expectPages = async (itemsOf: ItemsOf, wallet: Address, height: number, earlier: number): Promise<void> => {
  const all = await itemsOf("transactions", { wallet, height });
  const pages = [];
  for (let offset = 0; offset < all.length; offset += 7)
    pages.push(...(await itemsOf("transactions", { wallet, height, limit: 7, offset })));
  expect(pages).toEqual(all);
  expect(all.length).toBeGreaterThan(7);
  const expected = all.filter(({ block_height }) => (block_height as number) <= earlier);
  expect(expected.length).toBeGreaterThan(0);
  expect(expected.length).toBeLessThan(all.length);
  expect(await itemsOf("transactions", { wallet, height: earlier })).toEqual(expected);
};

/** A token with its decimals, and its price in US dollars per whole token. */
export interface KnownToken {
  readonly address: Address;
  readonly name: string;
  readonly decimals: number | null;
  readonly price?: number;
}

/** Stores metadata and prices, which other jobs provide in production. */
export const insertTokens = async (database: Database, tokens: readonly KnownToken[]): Promise<void> => {
  for (const { address, name, decimals, price } of tokens) {
    await database.query("INSERT INTO token_metadata VALUES ($1, $2, 1, $3, $3, $4, 1) ON CONFLICT DO NOTHING", [
      chainId,
      bytes(address),
      name,
      decimals,
    ]);
    if (price === undefined) continue;
    await database.query("INSERT INTO priced_assets VALUES ($1, $2, 0, 1)", [chainId, bytes(address)]);
    const unit = `${price}e-${decimals ?? 0}`;
    await database.query("INSERT INTO price_hours VALUES ($1, $2, 0, $3, $3, $3, $3, 1)", [chainId, bytes(address), unit]);
  }
};

/** The timestamp of a block, in seconds. */
export const timeOf = async (chain: Pick<TestChain, "rpc">, height: number): Promise<number> =>
  Number((await chain.rpc<{ timestamp: Hex }>("eth_getBlockByNumber", [`0x${height.toString(16)}`, false])).timestamp);
