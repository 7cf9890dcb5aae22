import { setTimeout as wait } from "node:timers/promises";
import { query } from "../../support/database/embedded-fixture.ts";
import { startPrimary, startStandby } from "../../support/database/replication.ts";
import { startTcpProxy } from "../../support/tcp-proxy.ts";

/** A primary and a standby; tests lose the primary. */
export interface FailoverCluster {
  /** The settings in `ashlar.yaml` for this cluster. */
  readonly settings: { readonly databaseUrl: string; readonly readUrls: readonly string[] };
  /** Makes the primary disappear without closing its connections. */
  lose(loss: Loss): Promise<void>;
  /** Resolves when a standby has become the primary. */
  promotion(): Promise<void>;
  /** Brings the lost server back, and returns its URL once it responds. */
  comeBack(): Promise<string>;
  stop(): Promise<void>;
}

/** The part of a server that fails: its machine, its PostgreSQL, or its network, which then drops all packets. */
export type Loss = "machine" | "PostgreSQL" | "network";

/** Starts two embedded PostgreSQL servers; the standby is promoted after some seconds, as an operator would do. */
export async function startPlainCluster(promotionSeconds: number): Promise<FailoverCluster> {
  const one = await startPrimary();
  const two = await startStandby(one);
  const proxy = await startTcpProxy(one.url);
  const [host, ...others] = [proxy.port, two.port].map((port) => `127.0.0.1:${port}`);
  const url = one.url.replace(`127.0.0.1:${one.port}`, host ?? "");
  return {
    settings: {
      databaseUrl: `${one.url.replace(`127.0.0.1:${one.port}`, [host, ...others].join(","))}?target_session_attrs=read-write`,
      readUrls: [url, two.url],
    },
    async lose(loss) {
      if (loss === "network") proxy.mute = true;
      else await one.kill();
    },
    async promotion() {
      await wait(promotionSeconds * 1_000);
      await query(two.url, "SELECT pg_promote()");
    },
    async comeBack() {
      if (proxy.mute) proxy.mute = false;
      else await one.restart();
      return one.url;
    },
    async stop() {
      await proxy.close();
      await two.remove();
      await one.remove();
    },
  };
}
