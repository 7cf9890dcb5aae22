import type { StateLoad, Table } from "../../../indexer/projection.ts";

const dayKey = { collection: "bytea", day: "int4", marketplace: "bytea", payment_token: "bytea" } as const;
const daySums = { sales: "int8", wash_sales: "int8", amount: "numeric", wash_amount: "numeric", lowest: "numeric" } as const;

/** The tables of migration 0018-nft-sales. */
export const saleTables: readonly Table[] = [
  {
    kind: "append",
    name: "nft_sales",
    columns: {
      sale: "int8",
      block_number: "int8",
      transaction_index: "int4",
      log_index: "int4",
      day: "int4",
      marketplace: "bytea",
      protocol: "int2",
      collection: "bytea",
      token_id: "numeric",
      units: "numeric",
      seller: "bytea",
      buyer: "bytea",
      maker_is_buyer: "bool",
      payment_token: "bytea",
      price: "numeric",
      unit_price: "numeric",
      is_wash: "bool",
    },
  },
  {
    kind: "append",
    name: "nft_sale_marks",
    columns: { sale: "int8", block_number: "int8", ...dayKey, price: "numeric", unit_price: "numeric" },
  },
  {
    kind: "latest",
    name: "nft_market_days",
    key: Object.keys(dayKey),
    periodTable: "nft_market_day_periods",
    columns: { ...dayKey, since_block: "int8", ...daySums },
  },
  { kind: "periods", name: "nft_market_day_periods", columns: { ...dayKey, from_block: "int8", to_block: "int8", ...daySums } },
  {
    kind: "append",
    name: "nft_bids",
    columns: { marketplace: "bytea", token_id: "numeric", bid: "int8", block_number: "int8", bidder: "bytea", amount: "numeric" },
  },
];

/** The state that a fold loads: a token's last sale between two accounts, a day's sums, and the last bid for a token. */
export const saleLoads: Readonly<Record<string, StateLoad>> = {
  // Served by nft_sales_parties.
  between: {
    table: "nft_sales",
    key: { collection: "bytea", token_id: "numeric", seller: "bytea", buyer: "bytea" },
    valueColumns: ["sale", "day", "marketplace", "payment_token", "price", "unit_price", "is_wash"],
    newestBy: "sale",
  },
  days: { table: "nft_market_days", key: dayKey, valueColumns: ["since_block", ...Object.keys(daySums)] },
  bids: {
    table: "nft_bids",
    key: { marketplace: "bytea", token_id: "numeric" },
    valueColumns: ["bid", "bidder", "amount"],
    newestBy: "bid",
  },
};
