import { chainConfigSchema } from "../../runtime/config/config.ts";
import type { Database } from "../../runtime/database/database.ts";
import { startBenchApiServer } from "../support/bench-api-server.ts";
import type { QueryCase } from "./query-case.ts";
import type { StoryFacts } from "./story.ts";

/** Cases that request complete responses over HTTP from a server in this process and parse the JSON. */
export async function openEndpointCases(
  database: Database,
  facts: StoryFacts,
): Promise<{ cases: readonly QueryCase[]; close(): Promise<void> }> {
  const chain = chainConfigSchema.parse({ name: "bench", id: 1, rpc: "http://127.0.0.1:1", groups: ["historical"] });
  const serving = await startBenchApiServer(database, chain);
  const get = async (path: string): Promise<readonly unknown[]> => {
    const body = JSON.parse(await serving.get(`bench/${path}`)) as { readonly data?: { readonly items?: readonly unknown[] } };
    return body.data?.items ?? [];
  };
  const ordinary = (iteration: number) => facts.ordinary[iteration % facts.ordinary.length] ?? facts.collector;
  const endpointCase = (name: string, minRows: number, pathOf: (iteration: number) => string): QueryCase => ({
    name: `HTTP: ${name}`,
    targetMilliseconds: null,
    minRows,
    run: (iteration) => get(pathOf(iteration)),
  });
  return {
    cases: [
      endpointCase("balances of 30 tokens", 25, (iteration) => `address/${ordinary(iteration)}/balances_v2/`),
      endpointCase("transactions page 0 with logs", 100, () => `address/${facts.busy}/transactions_v3/page/0/`),
      endpointCase("holders first page", 100, () => `tokens/${facts.popularToken}/token_holders_v2/?page-size=100`),
      endpointCase("portfolio of 30 days and 30 tokens", 25, (iteration) => `address/${ordinary(iteration)}/portfolio_v2/`),
      endpointCase("balances of 30,000 tokens", 10_000, () => `address/${facts.collector}/balances_v2/`),
    ],
    close: () => serving.close(),
  };
}
