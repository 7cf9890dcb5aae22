import type { Database } from "../../../database/database.ts";
import type { LendingQuery, OperationQuery, Protocol } from "../../../declarations/protocol.ts";
import { type CommunityChain, protocolsOn } from "../contracts-on-chain.ts";
import { projectionIdOf } from "../relations.ts";
import { createOperationQueries, type LendingParameters, type OperationParameters, type OperationRow } from "./operation-queries.ts";
import { StatementError, withLocation } from "./statement-error.ts";

/** A chain that serves declared protocols. */
export interface ServedChain extends CommunityChain {
  readonly id: number;
}

/** A Bitcoin chain, which serves all Bitcoin protocols. */
export interface ServedBitcoinChain {
  readonly id: number;
  readonly name: string;
}

/** An operation of a protocol, and its query. */
interface DeclaredOperation {
  readonly protocol: string;
  readonly operation: string;
  readonly query: OperationQuery;
}

/** A protocol that declares lending events, and the projection of its tables. */
export interface LendingProtocol {
  readonly protocol: string;
  readonly projection: `community:${string}`;
  readonly query: LendingQuery;
}

/** The declared protocols of a server. */
export interface Community {
  /** A protocol by its id; undefined if it is not declared. */
  readonly protocol: (id: string) => Protocol | undefined;
  /** Whether a protocol has contracts on a chain. A Bitcoin protocol is on all Bitcoin chains. */
  readonly isAvailableOn: (id: string, chainId: number) => boolean;
  /** Whether a projection of a declared protocol is indexed on a chain. */
  readonly isIndexed: (chainId: number, projection: string) => boolean;
  /** Whether a protocol's SQL reads exchange pools. */
  readonly readsPools: (id: string) => boolean;
  /** Whether a protocol is on Bitcoin chains. */
  readonly isBitcoinProtocol: (id: string) => boolean;
  /** The first chain that a protocol is on; null if there is none. */
  readonly firstChainOf: (id: string) => { readonly id: number; readonly name: string } | null;
  /** The protocols' default names in paths, by id. */
  readonly defaultNames: Readonly<Record<string, string>>;
  /** The protocols with lending events indexed on a chain. */
  readonly lendingProtocolsOn: (chainId: number) => readonly LendingProtocol[];
  /**
   * The lending events of a transaction, each converted by `view`. Returns null and reports the failure if the statement or `view` fails.
   * See `createOperationQueries` for errors that affect every protocol.
   */
  readonly lendingEventsOf: <Event>(
    protocol: LendingProtocol,
    parameters: LendingParameters,
    view: (row: OperationRow) => Event,
  ) => Promise<readonly Event[] | null>;
  /** The rows of an operation; see `createOperationQueries`. @throws {StatementError} if the statement fails. */
  readonly rowsOf: (operation: DeclaredOperation, parameters: OperationParameters) => Promise<readonly OperationRow[]>;
}

/** The parts of a server that declared protocols use. */
interface CommunityServer {
  /** Connected as the reader role to a chain's database; undefined if the server has no connection to it. */
  readonly readerOf: (chainId: number) => Pick<Database, "run"> | undefined;
  readonly bitcoinChains: readonly ServedBitcoinChain[];
  /** Receives failures of statements that a response shows only as an unknown value. */
  readonly onFailure: (failure: StatementError, transaction: LendingParameters) => void;
}

/** The views in the schema `api` that show rows of the pools projection. */
const poolViews: ReadonlySet<string> = new Set(["pools", "pool_states", "pool_actions", "pool_action_accounts", "shared_pools"]);

/** The declared protocols of a server and their queries, which run on the reader's connections. */
export function createCommunity(
  protocols: readonly Protocol[],
  chains: readonly ServedChain[],
  { readerOf, bitcoinChains, onFailure }: CommunityServer,
): Community {
  const byId = new Map(protocols.map((protocol) => [protocol.id, protocol]));
  const served = new Map(chains.map((chain) => [chain.id, new Set(protocolsOn(protocols, chain).map(({ id }) => id))]));
  const isBitcoinProtocol: Community["isBitcoinProtocol"] = (id) => byId.get(id)?.chainKind === "bitcoin";
  const isAvailableOn: Community["isAvailableOn"] = (id, chainId) =>
    isBitcoinProtocol(id) ? bitcoinChains.some((chain) => chain.id === chainId) : served.get(chainId)?.has(id) === true;
  const projections = new Map<string, string>(protocols.map(({ id }) => [projectionIdOf(id), id]));
  const lending = protocols.flatMap(({ id, lending: query }) =>
    query === null ? [] : [{ protocol: id, projection: projectionIdOf(id), query }],
  );
  const queries = new Map([...chains, ...bitcoinChains].map(({ id }) => [id, createOperationQueries(readerOf(id))]));
  const unavailableQueries = createOperationQueries(undefined);
  const queriesOf = ({ chain }: { readonly chain: number }) => queries.get(chain) ?? unavailableQueries;
  return {
    protocol: (id) => byId.get(id),
    isAvailableOn,
    isBitcoinProtocol,
    isIndexed: (chainId, projection) => isAvailableOn(projections.get(projection) ?? "", chainId),
    lendingProtocolsOn: (chainId) => lending.filter(({ protocol }) => isAvailableOn(protocol, chainId)),
    readsPools: (id) => Object.values(byId.get(id)?.operations ?? {}).some(({ views }) => views.some((view) => poolViews.has(view))),
    firstChainOf: (id) => {
      const chain = [...chains, ...bitcoinChains].find((candidate) => isAvailableOn(id, candidate.id));
      return chain === undefined ? null : { id: chain.id, name: chain.name };
    },
    defaultNames: Object.fromEntries(protocols.map(({ id, name }) => [id, name])),
    lendingEventsOf: async ({ protocol, query }, parameters, view) => {
      try {
        return (await queriesOf(parameters).lendingRowsOf(query, parameters)).map(view);
      } catch (error) {
        const failure = withLocation({ protocol, name: "lending", file: query.file }, error);
        if (!(failure instanceof StatementError)) throw failure;
        onFailure(failure, parameters);
        return null;
      }
    },
    rowsOf: async ({ protocol, operation, query }, parameters) => {
      try {
        return await queriesOf(parameters).rowsOf(query, parameters);
      } catch (error) {
        throw withLocation({ protocol, name: operation, file: query.file }, error);
      }
    },
  };
}
