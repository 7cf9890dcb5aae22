import { readFileSync } from "node:fs";
import type { Currency } from "../generated/requests.gen.ts";
import { approvalsHandlers } from "./api/approvals/index.ts";
import { createAsOfProjection } from "./api/as-of-projection.ts";
import { createChainDirectory } from "./api/chain-directory.ts";
import { chainsHandlers } from "./api/chains/index.ts";
import { addedEndpoints } from "./api/community/added-endpoints.ts";
import { documentEndpoints } from "./api/community/document-endpoints.ts";
import { communityHandlers } from "./api/community/index.ts";
import type { ResolverContext } from "./api/context.ts";
import { dexHandlers } from "./api/dex/index.ts";
import { createIsProjectionRead } from "./api/is-projection-read.ts";
import { ledgerHandlers } from "./api/ledger/index.ts";
import { namesHandlers } from "./api/names/index.ts";
import { nftHandlers } from "./api/nft/index.ts";
import { pageDepth } from "./api/page-depth.ts";
import { pricesHandlers } from "./api/prices/index.ts";
import { tokensHandlers } from "./api/tokens/index.ts";
import { type AnyChainConfig, type Config, isBitcoinChain, isEvmChain } from "./config/config.ts";
import { isUnavailable } from "./database/errors.ts";
import { createPrimaryOutage, noOutage } from "./database/primary-outage.ts";
import type { AddedProtocol } from "./declarations/added-protocol.ts";
import type { Protocol } from "./declarations/protocol.ts";
import { createCommunity } from "./domains/community/queries/community.ts";
import type { ContentVersion } from "./domains/ledger/queries/progress.ts";
import { registriesOfChain } from "./domains/names/queries/index.ts";
import { createNameResolution } from "./domains/names/resolve-name.ts";
import type { ChainOfCurrency } from "./domains/prices/queries/rates.ts";
import { createClassifier } from "./domains/tokens/classification/classifier.ts";
import { loadRules } from "./domains/tokens/classification/load-rules.ts";
import { createHttpApp, type HttpApp } from "./http/app.ts";
import type { Readiness } from "./http/health.ts";
import type { KeyMeter } from "./http/key-meter.ts";
import { createKeyRequests } from "./http/key-requests.ts";
import type { OpenApiDocument } from "./http/openapi-document.ts";
import { redactMessage } from "./http/redact.ts";
import type { RequestCounts } from "./http/request-counts.ts";
import type { ValidationMode } from "./http/validation/validation.ts";
import { bitcoinNetworks } from "./lib/bitcoin/networks.ts";
import type { Tracer } from "./lib/tracing.ts";
import type { Logger } from "./logger.ts";
import { createDecoders, withTokenList } from "./operator-files.ts";
import { builtInProtocols } from "./protocols.ts";
import { createReadinessCheck } from "./readiness-check.ts";
import type { DatabaseConnections, Shard } from "./shard.ts";
import { createShards, type OutageOf } from "./shards.ts";

/** A server's dependencies. The connections are to the control database. */
export interface AppOptions extends DatabaseConnections {
  readonly config: Config;
  /** The chains that it serves, in the order in which responses list them. */
  readonly chains: readonly AnyChainConfig[];
  /** Connections to the databases that chains select with the setting `database`, by its value. */
  readonly shards?: Readonly<Record<string, DatabaseConnections>> | undefined;
  /** The declared protocols; the built-in ones by default. */
  readonly protocols?: readonly Protocol[];
  /** The declared protocols that the operator added. */
  readonly addedProtocols?: readonly AddedProtocol[];
  readonly logger: Logger;
  readonly demo?: { readonly key: string; readonly storyValues: Readonly<Record<string, string>> } | undefined;
  /** Overrides the configured mode. */
  readonly validate?: ValidationMode;
  /** Counts keys' requests and credits for all of a server's workers. */
  readonly meter?: KeyMeter | undefined;
  /** Counts requests for metrics; not counted by default. */
  readonly counts?: RequestCounts | undefined;
  /** Traces requests; not traced by default. */
  readonly tracer?: Tracer | undefined;
  readonly now?: () => Date;
}

/** The server's application, and the readiness that /readyz returns. */
export interface App extends HttpApp {
  readiness(): Promise<Readiness>;
}

/** Weight of concurrent requests per database connection; above 1 because requests also wait for each other, for JavaScript and for nodes. */
const weightPerConnection = 4;

const handlers = {
  ...ledgerHandlers,
  ...tokensHandlers,
  ...chainsHandlers,
  ...namesHandlers,
  ...pricesHandlers,
  ...dexHandlers,
  ...nftHandlers,
  ...approvalsHandlers,
  ...communityHandlers,
};

/** Creates a server's application; this is the only code that wires server, resolvers and queries. */
export function createApp(options: AppOptions): App {
  const { config, database, control = database, logger, demo, validate = config.validate, now = () => new Date() } = options;
  const chains = options.chains.filter((chain) => isEvmChain(chain));
  const bitcoinChains = options.chains.filter((chain) => isBitcoinChain(chain));
  const { primaryOutageSeconds } = config;
  const outageOf: OutageOf = (name, { replicas }) => {
    if (replicas === undefined || primaryOutageSeconds === 0) return noOutage;
    const label = name === null ? "databaseUrl" : `database ${name}`;
    const onChange = (isLost: boolean): void => {
      if (isLost) logger.warn(`The primary of ${label} does not respond: responding from replicas for up to ${primaryOutageSeconds} s.`);
      else logger.info(`The primary of ${label} responds again.`);
    };
    return createPrimaryOutage({ maxMilliseconds: primaryOutageSeconds * 1_000, onChange });
  };
  const shards = createShards(options.chains, options, options.shards ?? {}, now, outageOf);
  const { protocols = builtInProtocols, addedProtocols = [] } = options;
  const community = createCommunity(protocols, chains, {
    readerOf: (chainId) => shards.shardOf(chainId).reader,
    bitcoinChains,
    onFailure: ({ code, message }, { chain, block, transaction_index: index }) =>
      logger.error(
        { code, reason: redactMessage(message), chain, block, index },
        "Reading the lending events of a transaction failed: they are null in the response",
      ),
  });
  const endpoints = addedEndpoints(addedProtocols);
  const isProjectionRead = createIsProjectionRead(chains, community.isIndexed);
  const otherChains = createOtherChains(shards.chainOfCurrency);
  const { asOfStateOf, contentVersionOf, requireBuilt } = createAsOfProjection(shards, isProjectionRead, community.readsPools, otherChains);
  /** If `now` is fixed, responses are as of that time. */
  const withTime = <T extends { readonly content: ContentVersion | null } | null>(read: T): T =>
    read === null || read.content === null || options.now === undefined
      ? read
      : { ...read, content: { ...read.content, changedAt: options.now() } };
  const resources = {
    queryAll: shards.queryAll,
    community,
    requireBuilt,
    chains: createChainDirectory(options.chains.map((chain) => (isEvmChain(chain) ? withTokenList(chain) : chain))),
    limits: config.limits,
    decoderOf: createDecoders(chains),
    classifier: createClassifier(loadRules(config.rulesFile)),
  };
  const resourcesIn = (shard: Shard) => ({ ...resources, ...shard.queries, labels: shard.labels });
  const resourcesByShard = new Map(shards.all.map((shard) => [shard, resourcesIn(shard)]));
  const controlResources = resourcesIn(shards.controlShard);
  /** A request's resources, with the queries for its chain's database. */
  const resourcesOf = (chainId: number | null) =>
    chainId === null ? controlResources : (resourcesByShard.get(shards.shardOf(chainId)) ?? controlResources);
  const readinessOfAll = createReadinessCheck(options.chains, shards.all, { now, maxSilentSeconds: config.indexerSilentSeconds });
  /** All databases' content version; null if one of several does not respond. */
  const contentOfAll = async (): Promise<ContentVersion | null> => {
    try {
      return withTime({ content: await contentVersionOf(options.chains.map(({ id }) => id)) }).content;
    } catch (error) {
      if (shards.all.length === 1 || !isUnavailable(error)) throw error;
      return null;
    }
  };
  const http = createHttpApp<ResolverContext>({
    database: control,
    outage: shards.controlShard.outage,
    anchorStores: {
      all: shards.all.map((shard) => shard.control),
      storeOf: (chainId) => shards.shardOf(chainId).control,
      outages: new Map(shards.all.map((shard) => [shard.control, shard.outage])),
    },
    capacities: shards.all.map(({ poolSize }) => weightPerConnection * poolSize),
    capacityOf: (chainId) => (chainId === null ? 0 : shards.all.indexOf(shards.shardOf(chainId))),
    logger,
    limits: config.limits,
    chains,
    bitcoin: {
      chains: bitcoinChains.map(({ id, name, network }) => ({ id, name, network: bitcoinNetworks[network] })),
      serves: community.isBitcoinProtocol,
    },
    handlers,
    addedEndpoints: endpoints,
    createContext: (scope) => ({ ...scope, ...resourcesOf(scope.chainId) }),
    head:
      options.now === undefined
        ? asOfStateOf
        : async (chainId, operation, request) => withTime(await asOfStateOf(chainId, operation, request)),
    contentOfAll,
    pageDepth,
    chainOfProtocol: community.firstChainOf,
    resolveName: createNameResolution(
      { resolveName: (chainId, name) => shards.shardOf(chainId).queries.names.resolveName(chainId, name) },
      chains.filter((chain) => registriesOfChain(chain).length > 0),
      requireBuilt,
    ),
    readiness: readinessOfAll,
    document: documentEndpoints(readDocument(), endpoints),
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    protocolNames: { ...community.defaultNames, ...config.protocols },
    demo,
    validate,
    compression: config.compression,
    cache: config.cache,
    now,
    meter: options.meter,
    counts: options.counts,
    keyRequests: config.console === undefined ? undefined : createKeyRequests(control, logger, now),
    tracer: options.tracer,
  });
  return {
    ...http,
    readiness: readinessOfAll,
    async close() {
      await shards.close();
      await http.close();
    },
  };
}

let document: OpenApiDocument | undefined;

/** The generated document, read once: all services in a process share the checks that are compiled from it. */
const readDocument = (): OpenApiDocument => {
  document ??= JSON.parse(readFileSync(new URL("../generated/openapi.json", import.meta.url), "utf8")) as OpenApiDocument;
  return document;
};

/** Creates a function that returns the chain from which the rates of a request's currency are read; an empty list if it is the chain of the request. */
const createOtherChains =
  (chainOf: ChainOfCurrency): ((chainId: number, request: unknown) => readonly number[]) =>
  (chainId, request) => {
    const { quoteCurrency } = request as { readonly quoteCurrency?: Currency };
    const other = quoteCurrency === undefined ? chainId : chainOf(chainId, quoteCurrency);
    return other === chainId ? [] : [other];
  };
