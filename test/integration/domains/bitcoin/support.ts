import { pino } from "pino";
import type { CommunityTransaction } from "../../../../generated/responses.gen.ts";
import { type ApiServer, startApiServer } from "../../../../runtime/commands/api-server.ts";
import { indexBitcoinChain } from "../../../../runtime/commands/index-bitcoin.ts";
import { type BitcoinChainConfig, bitcoinChainSchema } from "../../../../runtime/config/bitcoin.ts";
import { type ChainConfig, configSchema } from "../../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../../runtime/config/key-limits.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import type { TestBitcoinNode } from "../../../support/bitcoin/node.ts";
import { until } from "../../../support/until.ts";

const silent = pino({ level: "silent" });

export const chainId = 20_110_202;

/** The test chain's settings; the chain is read from the node at the URL. */
export const chainSettings = (rpc: string, overrides: object = {}): BitcoinChainConfig => ({
  ...bitcoinChainSchema.parse({ name: "btc-regtest", kind: "bitcoin", network: "regtest", rpc, pollMilliseconds: 50, ...overrides }),
  id: chainId,
});

/** A running indexer of a Bitcoin chain. */
export interface RunningIndex {
  /** Waits until the index is at the node's head. */
  sync(): Promise<void>;
  stop(): Promise<void>;
  /** Settles when the indexer stops. */
  readonly stopped: Promise<void>;
}

/** Runs a chain's indexer until it is stopped. */
export function startIndex(node: TestBitcoinNode, database: Database, overrides: object = {}): RunningIndex {
  const controller = new AbortController();
  const running = indexBitcoinChain({ chain: chainSettings(node.url, overrides), database, logger: silent }, controller.signal);
  const isSynced = async (): Promise<boolean> => {
    const head = node.chain.blocks.at(-1);
    const [row] = await database.query<{ hash: string }>(
      "SELECT hash FROM bitcoin_blocks WHERE chain_id = $1 ORDER BY number DESC LIMIT 1",
      [chainId],
    );
    return row?.hash === `0x${head?.hash}`;
  };
  running.catch(() => undefined);
  return {
    stopped: running,
    sync: () => Promise.race([until("the index to be at the head", isSynced, 30_000), running]),
    stop: async () => {
      controller.abort();
      await running;
    },
  };
}

/** Indexes a node's blocks up to its head. */
export async function indexAll(node: TestBitcoinNode, database: Database, overrides: object = {}): Promise<void> {
  const index = startIndex(node, database, overrides);
  await index.sync();
  await index.stop();
}

/** A server of a Bitcoin chain. */
export interface BitcoinServer {
  get(path: string): Promise<{ readonly status: number; readonly body: { readonly error_message: string | null; readonly data: unknown } }>;
  /** A response body as text. */
  text(path: string): Promise<string>;
  /** All transactions of an address, page by page. */
  transactions(address: string, pageSize?: number): Promise<readonly CommunityTransaction[]>;
  stop(): Promise<void>;
}

/** Serves a chain from its index on a free port, with strict validation of responses. */
export async function serveBitcoin(
  database: Database,
  chain: BitcoinChainConfig,
  others: readonly ChainConfig[] = [],
): Promise<BitcoinServer> {
  const { key } = await createKeys(database).create({ label: "tests" });
  const config = configSchema.parse({ port: 0, limits: { requestsPerSecond: 100_000, ...noKeyLimits } });
  const serving: ApiServer = await startApiServer({
    config,
    chains: [chain, ...others],
    database,
    reader: database,
    logger: silent,
    validate: "strict",
  });
  const request = (path: string) => fetch(`${serving.url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const get: BitcoinServer["get"] = async (path) => {
    const response = await request(path);
    return { status: response.status, body: (await response.json()) as never };
  };
  return {
    get,
    text: async (path) => (await request(path)).text(),
    transactions: async (address, pageSize = 100) => {
      const items: CommunityTransaction[] = [];
      for (let page = 0; ; page += 1) {
        const path = `/v1/cq/provider/app/protocol_03/transactions/?address=${address}&page-size=${pageSize}&page-number=${page}`;
        const { status, body } = await get(path);
        if (status !== 200) throw new Error(`GET ${path} returned ${status}: ${body.error_message}`);
        const data = body.data as { items: readonly CommunityTransaction[]; pagination: { has_more: boolean } };
        items.push(...data.items);
        if (!data.pagination.has_more) return items;
      }
    },
    stop: serving.stop,
  };
}
