import { balances, largeWalletBalances } from "./balances.ts";
import { ecosystem, poolsOfToken } from "./exchanges.ts";
import { blocksOfDays, holders, logsByTopic, prices } from "./lists.ts";
import { collection, nfts } from "./nfts.ts";
import { portfolio } from "./portfolio.ts";
import type { BareRequest, Route } from "./route.ts";
import { earliestTransactions, transaction, transactionsOfAddress, transactionsOfBlock } from "./transactions.ts";
import { transfers } from "./transfers.ts";

/** The routes by the first segment of the path, and by the third one where the second is a parameter. */
const routes: Readonly<Record<string, Route>> = {
  "address/balances_v2": balances,
  "address/balances_nft": nfts,
  "address/collection": collection,
  "address/portfolio_v2": portfolio,
  "address/transfers_v2": transfers,
  "address/transactions_v3": transactionsOfAddress,
  "block/transactions_v3": transactionsOfBlock,
  "tokens/token_holders_v2": holders,
  "xy=k/address": poolsOfToken,
  "xy=k/ecosystem": ecosystem,
  block_v2: blocksOfDays,
  bulk: earliestTransactions,
  events: logsByTopic,
  historical_by_addresses_v2: prices,
  transaction_v2: transaction,
};

/** Wallets with tens of thousands of tokens; a real server could find them by counting from time to time. */
export type LargeWallets = ReadonlySet<string>;

/** A request's route; undefined if the bare server has none. */
export function routeOf({ path: [first = "", second = "", third = ""] }: BareRequest, largeWallets: LargeWallets): Route | undefined {
  const found = routes[`${first}/${third}`] ?? routes[first];
  return found === balances && largeWallets.has(second) ? largeWalletBalances : found;
}

/** The names of all statements. */
export const statementNames: readonly string[] = [...Object.values(routes), largeWalletBalances].map(({ statement }) => statement);

/** The parts of a path below /v1/eth-mainnet/ or /v1/pricing/. */
export function parseUrl(url: string, now: number): BareRequest {
  const [path = "", query = ""] = url.split("?");
  return { path: path.split("/").slice(3), query: new URLSearchParams(query), now };
}
