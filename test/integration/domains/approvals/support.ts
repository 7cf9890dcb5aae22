import { pino } from "pino";
import supertest from "supertest";
import { expect } from "vitest";
import { createApp } from "../../../../runtime/app.ts";
import type { CallOutcome, Source } from "../../../../runtime/chain/source.ts";
import { type ChainConfig, chainConfigSchema, configSchema } from "../../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../../runtime/config/key-limits.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { createAllowanceJobs } from "../../../../runtime/domains/approvals/jobs/read-allowances/jobs.ts";
import { approvalsProjection } from "../../../../runtime/domains/approvals/projection/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import type { IndexedChain } from "../../../../runtime/indexer/types.ts";
import { createChainScheduler } from "../../../../runtime/jobs/chain-scheduler.ts";
import type { ContractCall } from "../../../../runtime/jobs/multicall.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../support/chain.ts";
import { chainOf, createTestIndexer, isAtHead, runInBackground } from "../../../support/indexer/support.ts";
import { multicallAddress, multicallCode } from "../../../support/multicall.ts";
import { until } from "../../../support/until.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses are validated against the catalog; a test reads the fields that it expects
export type ResponseData = any;

export interface AllowanceIndex {
  readonly source: Source;
  readonly warnings: string[];
  /** The jobs' contract calls, one list per request to the node. */
  readonly calls: (readonly ContractCall[])[];
  /** Makes contract calls fail at the node, or succeed again. */
  setFailing(isFailing: boolean): void;
  /** Waits until the index is at the node's head. */
  waitForHead(): Promise<void>;
  /** Advances the clock minute by minute and runs all due jobs in each. */
  runJobs(minutes?: number): Promise<void>;
  /** Waits for the node's head, then runs the jobs. */
  sync(minutes?: number): Promise<void>;
  get(path: string): Promise<ResponseData>;
  end(): Promise<void>;
}

/** Starts and serves an index of tokens and approvals that follows a chain. The allowance jobs run on demand, on a clock that the test advances. */
export const startAllowanceIndex = async (
  chain: TestChain,
  database: Database,
  { chain: overrides = {}, now = () => new Date(1_700_000_000_000) }: { chain?: Partial<IndexedChain>; now?: () => Date } = {},
): Promise<AllowanceIndex> => {
  const running = await createTestIndexer(chain.url, database, {
    chain: chainOf(overrides),
    projections: [tokensProjection, approvalsProjection],
  });
  const end = runInBackground(running);
  const warnings: string[] = [];
  let areCallsFailing = false;
  const requested: (readonly ContractCall[])[] = [];
  let clock = Date.UTC(2026, 0, 1);
  const source = {
    capabilities: running.source.capabilities,
    balances: running.source.balances,
    hashesOf: running.source.hashesOf,
    head: running.source.head,
    runCalls: (calls: readonly ContractCall[], height: number): Promise<CallOutcome[]> => {
      requested.push(calls);
      if (areCallsFailing) return Promise.resolve(calls.map(() => ({ ok: false, reverted: false })));
      return running.source.runCalls(calls, height);
    },
  };
  const isReady = () => {
    const { isLeading, isFollowing, catchingUp } = running.indexer.status();
    return isLeading && isFollowing && catchingUp.length === 0;
  };
  const scheduler = createChainScheduler({
    chainName: "test",
    chainId: 31337,
    database,
    source,
    jobs: createAllowanceJobs(),
    multicallAddress,
    runExclusive: running.indexer.runExclusive,
    runExclusiveKeepingCache: running.indexer.runExclusiveKeepingCache,
    isReady,
    clock: () => new Date(clock),
    logger: { info: () => undefined, warn: (message) => warnings.push(message) },
  });
  const settings: ChainConfig = { ...chainConfigSchema.parse({ name: "test", id: 31337, rpc: chain.url }), id: 31337 };
  const { key } = await createKeys(database).create({ label: "test" });
  const http = createApp({
    config: configSchema.parse({ limits: { requestsPerSecond: 100_000, ...noKeyLimits } }),
    chains: [settings],
    database,
    logger: pino({ level: "silent" }),
    validate: "strict",
    now,
  });
  const waitForHead = () => until("the index to reach the head", async () => isReady() && (await isAtHead(database, chain)));
  const runJobs = async (minutes = 2) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      for (let rounds = 0; (await scheduler.runDue()) && rounds < 50; rounds += 1);
      clock += 60_000;
    }
  };
  return {
    source: running.source,
    warnings,
    calls: requested,
    setFailing: (isFailing) => {
      areCallsFailing = isFailing;
    },
    waitForHead,
    runJobs,
    sync: async (minutes) => {
      await waitForHead();
      await runJobs(minutes);
    },
    get: async (path) => {
      const response = await supertest(http.listener).get(`/v1/test/${path}`).set("Authorization", `Bearer ${key}`);
      expect(response.status, `${path}: ${response.body.error_message}`).toBe(200);
      return response.body.data;
    },
    end: async () => {
      await end();
      await http.close();
    },
  };
};

/** Deploys the multicall contract to the address that it has on public chains. */
export const deployMulticall = async (chain: TestChain): Promise<void> => {
  await chain.rpc("anvil_setCode", [multicallAddress, await multicallCode(chain)]);
};

const word = (value: Address | bigint) => (typeof value === "bigint" ? value.toString(16) : value.slice(2)).padStart(64, "0");
const quantity = (height: number): Hex => `0x${height.toString(16)}`;

/** Returns the word that each call returns at a height; null if it reverts or returns less. */
export const readWords = async (
  chain: TestChain,
  calls: readonly { readonly to: Address; readonly data: Hex }[],
  height: number,
): Promise<(bigint | null)[]> =>
  Promise.all(
    calls.map((call) =>
      chain.rpc<Hex>("eth_call", [call, quantity(height)]).then(
        (result) => (result.length < 66 ? null : BigInt(result.slice(0, 66))),
        () => null,
      ),
    ),
  );

export const viewCalls = {
  /** allowance(address,address) */
  allowance: (to: Address, owner: Address, spender: Address) => ({ to, data: `0xdd62ed3e${word(owner)}${word(spender)}` as Hex }),
  /** getApproved(uint256) */
  approved: (to: Address, id: bigint) => ({ to, data: `0x081812fc${word(id)}` as Hex }),
  /** isApprovedForAll(address,address) */
  forAll: (to: Address, owner: Address, operator: Address) => ({ to, data: `0xe985e9c5${word(owner)}${word(operator)}` as Hex }),
  /** balanceOf(address) */
  balance: (to: Address, owner: Address) => ({ to, data: `0x70a08231${word(owner)}` as Hex }),
};
