import { setTimeout as wait } from "node:timers/promises";
import { query } from "../../support/database/embedded-fixture.ts";
import { startPrimary, startStandby } from "../../support/database/replication.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";

/** A primary and a standby; tests make the primary fail. */
export interface FailoverCluster {
  /** The settings in `ashlar.yaml` for this cluster. */
  readonly settings: { readonly databaseUrl: string; readonly readUrls: readonly string[] };
  /** Makes the primary disappear without closing its connections. */
  failPrimary(failure: PrimaryFailure): Promise<void>;
  /** Resolves when a standby has become the primary. */
  waitForPromotion(): Promise<void>;
  /** Makes the failed server available again, and returns its URL once it responds. */
  recoverPrimary(): Promise<string>;
  stop(): Promise<void>;
}

/** The part of a server that fails: its machine, its PostgreSQL, or its network, which then drops all packets. */
export type PrimaryFailure = "machine" | "PostgreSQL" | "network";

/** Starts two embedded PostgreSQL servers; the standby is promoted after some seconds, as an operator would. */
export async function startPlainCluster(promotionSeconds: number): Promise<FailoverCluster> {
  const primary = await startPrimary();
  const standby = await startStandby(primary);
  const proxy = await startTcpProxy(primary.url);
  const [host, ...others] = [proxy.port, standby.port].map((port) => `127.0.0.1:${port}`);
  const url = primary.url.replace(`127.0.0.1:${primary.port}`, host ?? "");
  return {
    settings: {
      databaseUrl: `${primary.url.replace(`127.0.0.1:${primary.port}`, [host, ...others].join(","))}?target_session_attrs=read-write`,
      readUrls: [url, standby.url],
    },
    async failPrimary(failure) {
      if (failure === "network") proxy.isMuted = true;
      else await primary.kill();
    },
    async waitForPromotion() {
      await wait(promotionSeconds * 1_000);
      await query(standby.url, "SELECT pg_promote()");
    },
    async recoverPrimary() {
      if (proxy.isMuted) proxy.isMuted = false;
      else await primary.restart();
      return primary.url;
    },
    async stop() {
      await proxy.close();
      await standby.remove();
      await primary.remove();
    },
  };
}
