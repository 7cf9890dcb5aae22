import { query } from "../../support/database/embedded-fixture.ts";
import { type ReplicatedServer, startPrimary, startStandby } from "../../support/database/replication.ts";

/** A primary and a standby, of which tests kill the primary. */
export interface FailoverCluster {
  /** The settings of `ashlar.yaml` that lead to it. */
  readonly settings: { readonly databaseUrl: string; readonly readUrls: readonly string[] };
  /** Kills the primary like its machine, without a chance to say goodbye. */
  kill(): Promise<void>;
  /** Resolves when a standby has become the primary. */
  promotion(): Promise<void>;
  /** Starts the killed server again, and returns its URL once it responds. */
  comeBack(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts two servers of the embedded PostgreSQL; `promotion` promotes the standby after some seconds, as a person would. */
export async function startPlainCluster(promotionSeconds: number, afterSeconds: (seconds: number) => Promise<void>): Promise<FailoverCluster> {
  const one = await startPrimary();
  const two = await startStandby(one);
  const hostOf = ({ port }: ReplicatedServer): string => `127.0.0.1:${port}`;
  const both = one.url.replace(hostOf(one), `${hostOf(one)},${hostOf(two)}`);
  return {
    settings: { databaseUrl: `${both}?target_session_attrs=read-write`, readUrls: [one.url, two.url] },
    kill: one.kill,
    async promotion() {
      await afterSeconds(promotionSeconds);
      await query(two.url, "SELECT pg_promote()");
    },
    async comeBack() {
      await one.restart();
      return one.url;
    },
    async stop() {
      await two.remove();
      await one.remove();
    },
  };
}
