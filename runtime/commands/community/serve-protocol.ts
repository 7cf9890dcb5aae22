import { pino } from "pino";
import type { ChainConfig, Config } from "../../config/config.ts";
import type { Database } from "../../database/database.ts";
import type { AddedProtocol } from "../../declarations/added-protocol.ts";
import { protocolsOn } from "../../domains/community/contracts-on-chain.ts";
import { createKeys } from "../../http/keys.ts";
import { startApiServer } from "../api-server.ts";

/** An address that has no rows. */
export const emptyWallet = "0x000000000000000000000000000000000000dead";

export interface ServeOptions {
  readonly config: Config;
  readonly chain: ChainConfig;
  readonly database: Database;
  /** Runs the protocol's SQL. */
  readonly reader: Database;
}

/** The response to a request. */
export interface RequestResult {
  readonly itemCount: number;
  readonly problem: string | null;
}

/** Serves one protocol on a chain, and adds a contract if the declaration has none on that chain. */
export const serveProtocol = async (added: AddedProtocol, { config, chain, database, reader }: ServeOptions) => {
  const { protocol } = added;
  const [kind = ""] = Object.keys(protocol.contracts);
  const isOnChain = protocolsOn([protocol], chain).length > 0;
  const community = isOnChain ? chain.community : { ...chain.community, [protocol.id]: { [kind]: [emptyWallet] } };
  const violations: string[] = [];
  const { key } = await createKeys(database).create({ label: "community test" });
  const server = await startApiServer({
    config: { ...config, host: "127.0.0.1", port: 0, validate: "strict" },
    chains: [{ ...chain, community: community as ChainConfig["community"] }],
    database,
    reader,
    protocols: [protocol],
    addedProtocols: [added],
    logger: pino({ level: "error" }, { write: (line: string) => void violations.push(reasonOf(line)) }),
  });
  const send = async (name: string, query: string): Promise<RequestResult> => {
    violations.length = 0;
    const response = await fetch(`${server.url}/v1/cq/provider/app/${protocol.id}/${name}/${query}`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    const body = (await response.json()) as {
      readonly data: { readonly items: readonly unknown[] } | null;
      readonly error_message: string | null;
    };
    // 404 is expected: a sampled contract may not be a pool.
    if (response.status === 200 || response.status === 404) return { itemCount: body.data?.items.length ?? 0, problem: null };
    return { itemCount: 0, problem: violations.length > 0 ? violations.join("; ") : `${response.status} ${body.error_message}` };
  };
  return {
    sendAll: async (name: string, queries: readonly string[]): Promise<RequestResult[]> => {
      const results: RequestResult[] = [];
      for (const query of queries) results.push(await send(name, query));
      return results;
    },
    stop: () => server.stop(),
  };
};

/** Why a request failed, from a log line. */
const reasonOf = (line: string): string => {
  const {
    violations = [],
    reason,
    msg = "",
  } = JSON.parse(line) as {
    readonly violations?: readonly { readonly pointer: string; readonly reason: string }[];
    readonly reason?: string;
    readonly msg?: string;
  };
  return violations.length > 0 ? violations.map(({ pointer, reason: why }) => `${pointer} ${why}`).join(", ") : (reason ?? msg);
};
