/** The responses of the console's API. Times are ISO 8601 strings, credits are numbers with two decimals. */

export interface SessionResponse {
  readonly actor: string;
  readonly endsAt: string;
}

export interface KeyItem {
  readonly id: number;
  readonly label: string;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly expiresAt: string | null;
  /** The time of the last counted request, at most 5 seconds out of date; null if there is none. */
  readonly lastUsedAt: string | null;
  readonly calls: number;
  readonly usedCredits: number;
  readonly credits: number | null;
  readonly dailyCredits: number | null;
  readonly monthlyCredits: number | null;
  readonly access: { readonly chains?: readonly string[]; readonly origins?: readonly string[]; readonly addresses?: readonly string[] };
  readonly limits: Readonly<Record<string, number | "unlimited" | undefined>>;
}

export interface CreatedKey {
  readonly id: number;
  /** The secret, which is not shown again. */
  readonly key: string;
}

/** Usage for a day, key or operation. */
export interface UsageRow {
  /** A day as YYYY-MM-DD, a key id, or an operation. */
  readonly name: string;
  readonly label?: string;
  readonly credits: number;
  /** Requests with a valid key, counted when the response is closed. */
  readonly requests: number;
  readonly errors: number;
  /** Milliseconds, interpolated within a bucket; null if there are no requests. */
  readonly p50: number | null;
  readonly p99: number | null;
}

export interface UsageResponse {
  readonly days: readonly UsageRow[];
  readonly keys: readonly UsageRow[];
  readonly operations: readonly UsageRow[];
}

export interface ChainItem {
  readonly name: string;
  readonly block: number | null;
  /** ISO 8601. */
  readonly blockTime: string | null;
  readonly nodeBlock: number | null;
  readonly silentSeconds: number | null;
  readonly state: "indexing" | "stopped" | "paused" | "removing" | "restoring";
  /** The time at which the chain was paused, or its removal or restore started; null in the other states. */
  readonly since: string | null;
}

export interface ChainsResponse {
  readonly chains: readonly ChainItem[];
  /** The names of the databases that do not respond, whose chains are missing. */
  readonly unavailable: readonly string[];
}

export interface ChainDetails extends ChainItem {
  /** Estimates from PostgreSQL's statistics; null before the first ANALYZE. */
  readonly disk: { readonly rows: number; readonly transactions: number; readonly bytes: number } | null;
  /** The features that the node offers; null if it has not been probed yet. */
  readonly node: readonly string[] | null;
  readonly missing: readonly string[];
  readonly projections: readonly {
    readonly name: string;
    readonly block: number;
    readonly state: "current" | "rebuilding" | "failed";
    readonly reason: string | null;
  }[];
  readonly queues: readonly {
    readonly name: string;
    readonly entries: number;
    readonly attempted: number;
    readonly overdueSeconds: number;
  }[];
  readonly lastAudit: { readonly time: string; readonly block: number; readonly compared: number; readonly differences: number } | null;
  /** This console process's task on the chain; null if there was none. */
  readonly task: ChainTask | null;
}

export interface ChainTask {
  readonly kind: "audit" | "remove";
  readonly startedAt: string;
  /** Null while it is running. */
  readonly result: string | null;
  readonly hasFailed: boolean;
}

export interface LogItem {
  readonly id: number;
  readonly time: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly details: Readonly<Record<string, unknown>>;
}
