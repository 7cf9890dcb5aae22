import { addressFields, chainFields, envelope } from "./json.ts";
import type { BareRequest, Route } from "./route.ts";
import { itemColumns, transactionItems } from "./transaction-items.ts";

const pageSize = 100;
const base = "http://bench.invalid/v1/eth-mainnet";

const walletOf = ({ path }: BareRequest, position: number): string => `\\x${path[position]?.slice(2)}`;

/** Row 26: transactions_v3/page of a wallet. */
export const transactionsOfAddress: Route = {
  statement: "transactions",
  values: (request) => [1, walletOf(request, 1), pageSize, Number(request.path[4]) * pageSize],
  body: (rows, { path, now }) => {
    const [, wallet = "", , , page = "0"] = path;
    const newest = Math.max(0, Math.ceil(Number(rows[0]?.[0] ?? 0) / pageSize) - 1);
    const link = (number: number): string => `"${base}/address/${wallet}/transactions_v3/page/${number}/"`;
    const current = Number(page);
    const links = `{"prev":${current > 0 ? link(current - 1) : "null"},"next":${current < newest ? link(current + 1) : "null"}}`;
    return envelope(
      `{${addressFields(wallet, now)},"current_page":${current},"links":${links},"items":[${transactionItems(rows)}],"indexed_from":null}`,
    );
  },
};

/** Row 22: transaction_v2. */
export const transaction: Route = {
  statement: "transaction",
  values: (request) => [1, walletOf(request, 1)],
  body: (rows, { now }) => envelope(`{${chainFields(now)},"items":[${transactionItems(rows)}]}`),
};

/** Row 24: bulk/transactions. */
export const earliestTransactions: Route = {
  statement: "earliest",
  values: (request) => [1, walletOf(request, 2)],
  body: (rows, { path, now }) => {
    const wallet = path[2] ?? "";
    const [bucket = null] = rows[0] ?? [];
    const [next = null, complete = null] = rows[0]?.slice(itemColumns) ?? [];
    const links = `{"prev":null,"next":${next === null ? "null" : `"${base}/bulk/transactions/${wallet}/${next}/"`}}`;
    return envelope(
      `{${addressFields(wallet, now)},"complete":${complete === "t"},"current_bucket":${bucket},"links":${links},` +
        `"items":[${transactionItems(rows)}],"indexed_from":null}`,
    );
  },
};

/** Row 29: transactions_v3/page of a block, which has one page. */
export const transactionsOfBlock: Route = {
  statement: "block",
  values: ({ path }) => [1, path[1] ?? "", pageSize, Number(path[4]) * pageSize],
  body: (rows, { now }) => envelope(`{${chainFields(now)},"links":{"prev":null,"next":null},"items":[${transactionItems(rows)}]}`),
};
