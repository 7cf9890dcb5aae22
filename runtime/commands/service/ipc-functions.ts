import type { Socket } from "node:net";
import type { ConnectionReport, SentConnection } from "../../cluster/sent-connections.ts";
import type { AnyChainConfig, Config } from "../../config/config.ts";
import type { MeteredRequest } from "../../http/key-meter.ts";
import type { MeteredKey } from "../../http/keys.ts";
import type { Metric } from "../../metrics/metric.ts";
import type { ServiceAddresses } from "../database-address.ts";
import type { PoolSizes } from "../pool-sizes.ts";
import type { Pace } from "../progress.ts";

/** What a worker process is started with. */
export interface WorkerStartOptions {
  /** Its name in log lines. */
  readonly name: string;
  readonly pools: PoolSizes;
  readonly config: Config;
  readonly chains: readonly AnyChainConfig[];
  readonly database: ServiceAddresses;
  /** The pool sizes for the databases of `databases`, by name. */
  readonly shardPools: Readonly<Record<string, PoolSizes>>;
  readonly demo?: { readonly key: string; readonly storyValues: Readonly<Record<string, string>> } | undefined;
}

/** The functions that a worker offers to its primary. A type rather than an interface, because a channel's functions have an index signature. */
export type WorkerFunctions = {
  /** Starts serving. @throws {Error} if the configuration is invalid */
  readonly start: (work: WorkerStartOptions) => Promise<void>;
  /** Takes a connection, or declines it if it arrives late. */
  readonly connection: (sent: SentConnection, socket?: Socket) => void;
  readonly changeDatabase: (address: ServiceAddresses) => void;
  readonly isReady: (_: null) => Promise<boolean>;
  /** The number of requests in flight. */
  readonly countRequestsInFlight: (_: null) => Promise<number>;
  /** The metrics of this process; none if they are not configured. */
  readonly metrics: (_: null) => Promise<readonly Metric[]>;
  /** Responds unless the event loop is blocked. */
  readonly ping: (_: null) => void;
  /** Finishes the requests in flight, and exits. */
  readonly stop: (_: null) => Promise<void>;
};

/** A finished request that `admit` had counted. */
export interface EndedRequest {
  readonly keyId: number;
  readonly databaseMilliseconds: number;
  readonly drainPerMinute: number;
}

/** The functions that the primary offers to a worker. */
export type PrimaryFunctions = {
  /** Counts a key's request; `lookup` identifies this worker's lookup of the key. */
  readonly admit: (request: { readonly key: MeteredKey; readonly lookup: number }) => Promise<MeteredRequest>;
  readonly endRequests: (requests: readonly EndedRequest[]) => void;
  readonly charge: (charge: {
    readonly keyId: number;
    readonly operation: string;
    readonly hundredths: number;
    /** Unix milliseconds. */
    readonly at: number;
  }) => void;
  /** Reports what happened to connections since the last report. */
  readonly reportConnections: (report: ConnectionReport) => void;
};

/** What an indexer process is started with. */
export interface IndexerStartOptions {
  readonly config: Config;
  readonly chains: readonly AnyChainConfig[];
  readonly readerRole: string;
  /** Whether indexing ends, instead of retrying, when the operator has to resolve a failure. */
  readonly endsOnFatalFailure: boolean;
  readonly database: ServiceAddresses;
  readonly pools: PoolSizes;
  /** The pool sizes for the databases of `databases`, by name. */
  readonly shardPools: Readonly<Record<string, PoolSizes>>;
}

/** The functions that an indexer process offers to its supervisor. */
export type IndexerFunctions = {
  /** Starts indexing. @throws {Error} if the configuration is invalid */
  readonly start: (work: IndexerStartOptions) => Promise<void>;
  readonly changeDatabase: (address: ServiceAddresses) => void;
  /** The metrics of this process; none if they are not configured. */
  readonly metrics: (_: null) => Promise<readonly Metric[]>;
  /** Responds unless the event loop is blocked. */
  readonly ping: (_: null) => void;
  /** Finishes the current batch, and exits. */
  readonly stop: (_: null) => Promise<void>;
};

/** The functions that the supervisor offers to an indexer process. */
export type SupervisorFunctions = {
  readonly report: (progress: { readonly task: string; readonly done: number; readonly total: number; readonly pace?: Pace }) => void;
  readonly print: (line: string) => void;
  /** Reports that indexing has failed for a reason that a restart would not change. */
  readonly fail: (reason: string) => void;
};
