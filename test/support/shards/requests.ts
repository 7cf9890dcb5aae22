import { operations } from "../../../generated/operations.gen.ts";
import type { JsonResponse, ShardedService, SmallChain } from "./sharded-service.ts";

/** The chains by name. */
export const chainsOf = ({ one, two }: ShardedService) => [["one", one] as const, ["two", two] as const];

/** Path parameter values for which operations find rows. */
const parametersOf = (name: string, { accounts, token, transfer }: SmallChain): Readonly<Record<string, string>> => ({
  chainName: name,
  walletAddress: accounts[1] ?? "",
  accountAddress: accounts[1] ?? "",
  contractAddress: token,
  tokenAddress: token,
  collectionContract: token,
  txHash: transfer,
  blockHeight: "2",
  topicHash: "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
  startDate: "2023-11-14",
  endDate: "2023-11-15",
  page: "0",
  eventType: "erc20",
  quoteCurrency: "USD",
  contractAddresses: token,
});

/** The paths of a chain's operations. Parameters without a value above are 1, which some operations reject. */
export const pathsOf = (name: string, chain: SmallChain): readonly string[] => {
  const values = parametersOf(name, chain);
  return operations
    .filter(({ path, status }) => status === "live" && path.includes("{chainName}"))
    .map(({ path }) => path.replace(/\{(\w+)\}/g, (_, parameter: string) => values[parameter] ?? "1"));
};

/** The path of an operation that reads all chains. */
export const activityPath = ({ accounts }: SmallChain): string => `/v1/address/${accounts[0]}/activity/?testnets=true`;
/** The path of another operation that reads all chains. */
export const statusesPath = "/v1/chains/status/";

/** The path to a wallet's balances; a test can vary the query to get uncached responses. */
export const balancesPath = (name: string, { accounts }: SmallChain, query = ""): string =>
  `/v1/${name}/address/${accounts[1]}/balances_v2/${query}`;

/** The names of a response's items. */
export const namesIn = ({ body }: JsonResponse): readonly string[] =>
  ((body.data?.items ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
