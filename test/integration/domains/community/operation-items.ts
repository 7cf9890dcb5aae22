import { viewItem } from "../../../../runtime/api/community/view-item.ts";
import { bytes } from "../../../../runtime/database/codecs.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import type { OperationQuery, Protocol } from "../../../../runtime/declarations/protocol.ts";
import { createOperationQueries } from "../../../../runtime/domains/community/queries/run-operation.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { communityProtocols } from "../../../../runtime/protocols.ts";

/** What an operation is asked for; as of `height`. */
export interface Asked {
  readonly height: number;
  readonly wallet?: Address;
  readonly pool?: Address;
  readonly limit?: number;
  readonly offset?: number;
}

export type Item = Readonly<Record<string, unknown>>;

/** The objects of the items of operations. */
const objects: Readonly<Record<string, string>> = {
  market_data: "CommunityMarketData",
  markets: "CommunityMarket",
  balances: "CommunityBalance",
  transactions: "CommunityTransaction",
  tokens: "CommunityPosition",
};

/** A built-in protocol. @throws {Error} if it is not declared. */
export const builtIn = (id: string): Protocol => {
  const found = communityProtocols.find((protocol) => protocol.id === id);
  if (found === undefined) throw new Error(`${id} is not declared`);
  return found;
};

/** Returns the items of operations of a protocol on the test chain, as its endpoints return them. */
export const itemsFrom =
  (database: Database, protocol: Protocol) =>
  async (operation: string, { height, wallet, pool, limit = 1000, offset = 0 }: Asked): Promise<Item[]> => {
    const rows = await createOperationQueries(database).rowsOf(protocol.operations[operation] as OperationQuery, {
      chain: 31337,
      wallet: wallet ?? null,
      pool: pool ?? null,
      as_of_block: height,
      limit,
      offset,
    });
    return rows.map((row) => viewItem(objects[operation] ?? "", row, () => null));
  };

/** Stores the metadata of a token, and with a price in US dollars per whole token that price, as other jobs do. */
export const insertToken = async (
  database: Database,
  {
    address,
    name,
    decimals,
    price,
  }: { readonly address: Address; readonly name: string; readonly decimals: number; readonly price?: number },
): Promise<void> => {
  const token = [31337, bytes(address)];
  await database.query("INSERT INTO token_metadata VALUES ($1, $2, 1, $3, $3, $4, 1) ON CONFLICT DO NOTHING", [...token, name, decimals]);
  if (price === undefined) return;
  await database.query("INSERT INTO priced_assets VALUES ($1, $2, 0, 1)", token);
  await database.query("INSERT INTO price_hours VALUES ($1, $2, 0, $3, $3, $3, $3, 1)", [...token, `${price}e-${decimals}`]);
};

/** The actions of items, with the amounts that moved. */
export const actionsIn = (items: readonly Item[]): Item[] =>
  items.map(({ action, block_height, log_offset, tx_hash, pool_address, from_address, amounts }) => ({
    ...{ action, block_height, log_offset, tx_hash, pool_address, from_address },
    amounts: (amounts as { direction: string; contract_address: string; amount: string }[]).map((leg) => [
      leg.direction,
      leg.contract_address,
      leg.amount,
    ]),
  }));
