import { chainConfig } from "../../runtime/config/config.ts";
import type { Database } from "../../runtime/database/database.ts";
import { openServing } from "../support/serving.ts";
import type { QueryCase } from "./query-case.ts";
import type { StoryFacts } from "./story.ts";

/** The same cases as whole responses: an HTTP request to a server in this process, up to the parsed JSON. */
export async function openEndpointCases(
  database: Database,
  facts: StoryFacts,
): Promise<{ cases: readonly QueryCase[]; close(): Promise<void> }> {
  const chain = chainConfig.parse({ name: "bench", id: 1, rpc: "http://127.0.0.1:1", groups: ["historical"] });
  const serving = await openServing(database, chain);
  const get = async (path: string): Promise<readonly unknown[]> => {
    const body = JSON.parse(await serving.get(`bench/${path}`)) as { readonly data?: { readonly items?: readonly unknown[] } };
    return body.data?.items ?? [];
  };
  const ordinary = (time: number) => facts.ordinary[time % facts.ordinary.length] ?? facts.collector;
  const whole = (name: string, rows: number, pathOf: (time: number) => string): QueryCase => ({
    name: `HTTP: ${name}`,
    target: null,
    rows,
    ask: (time) => get(pathOf(time)),
  });
  return {
    cases: [
      whole("balances of 30 tokens", 25, (time) => `address/${ordinary(time)}/balances_v2/`),
      whole("transactions page 0 with logs", 100, () => `address/${facts.busy}/transactions_v3/page/0/`),
      whole("holders first page", 100, () => `tokens/${facts.popularToken}/token_holders_v2/?page-size=100`),
      whole("portfolio of 30 days and 30 tokens", 25, (time) => `address/${ordinary(time)}/portfolio_v2/`),
      whole("balances of 30,000 tokens", 10_000, () => `address/${facts.collector}/balances_v2/`),
    ],
    close: () => serving.close(),
  };
}
