import { balances } from "./balances.ts";
import type { BareRequest, Route } from "./route.ts";
import { transactions } from "./transactions.ts";
import { transfers } from "./transfers.ts";

/** The routes by the segment that names the operation, as in address/<wallet>/<operation>/. */
const routes: Readonly<Record<string, Route>> = { balances_v2: balances, transfers_v2: transfers, transactions_v3: transactions };

/** The route of a request; undefined if the bare server does not have it. */
export const routeOf = ({ path }: BareRequest): Route | undefined => routes[path[2] ?? ""];

/** The names of all statements. */
export const statementNames: readonly string[] = Object.values(routes).map(({ statement }) => statement);

/** The parts of a path that begins with /v1/eth-mainnet/. */
export function parseUrl(url: string, now: number): BareRequest {
  const [path = "", query = ""] = url.split("?");
  return { path: path.split("/").slice(3), query: new URLSearchParams(query), now };
}
