import type { EndpointCase, Variant } from "../support/endpoint-case.ts";
import type { PlannedProtocol } from "./plan.ts";
import { walletOf, whale } from "./story.ts";

/**
 * The requests to the protocols' live operations: first pages of 100 items, all markets, one market, a wallet with 200 positions, and other
 * wallets.
 */
export const endpointCases = (protocols: readonly PlannedProtocol[], nameFilter: string): readonly EndpointCase[] =>
  protocols.flatMap(({ protocol, plan, contractOf }) =>
    Object.keys(protocol.operations)
      .map((operation): EndpointCase => {
        const path = (query = "") => `cq/provider/app/${protocol.id}/${operation}/?chain-name=bench${query}`;
        const { poolKind: kind, marketCount } = plan;
        const pools = kind === undefined ? [] : [0, 7, marketCount - 1].map((market) => path(`&pool-address=${contractOf(kind, market)}`));
        return {
          row: Number(protocol.id.replace(/\D/g, "")),
          name: operation,
          variants: [
            ...variantsOf(operation, path),
            ...(operation === "market_data" && pools.length > 0 ? [{ name: "one market", paths: pools }] : []),
          ],
        };
      })
      .filter(({ name }) => `${protocol.id} ${name}`.includes(nameFilter)),
  );

const wallets = [0, 1, 2].map(walletOf);

const variantsOf = (operation: string, path: (query?: string) => string): readonly Variant[] => {
  if (operation === "market_data" || operation === "markets")
    return [
      { name: "first page", paths: [path()] },
      { name: "second page", paths: [path("&page-number=1&page-size=50")] },
    ];
  return [
    { name: "200 positions", paths: [path(`&address=${whale}`)] },
    { name: "ordinary wallets", paths: wallets.map((wallet) => path(`&address=${wallet}`)) },
  ];
};
