import type { CallOutcome, Source } from "../../../../runtime/chain/source.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import type { Protocol } from "../../../../runtime/declarations/protocol.ts";
import type { ConfiguredContracts } from "../../../../runtime/domains/community/contracts-on-chain.ts";
import { openProtocols } from "../../../../runtime/domains/community/open-protocols.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import type { Projection } from "../../../../runtime/indexer/projection.ts";
import { createChainScheduler } from "../../../../runtime/jobs/chain-scheduler.ts";
import type { ContractCall } from "../../../../runtime/jobs/multicall.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../support/chain.ts";
import { contractOf, protocolOf, readOf, tableOf } from "../../../support/declared-protocol.ts";
import { chainOf, createTestIndexer, isAtHead, runInBackground, type TestIndexer } from "../../../support/indexer/support.ts";
import { multicallAddress } from "../../../support/multicall.ts";
import { until } from "../../../support/until.ts";

const created = "Created(address indexed vault, address asset)";
export const deposit = "Deposit(address indexed sender, address indexed owner, uint256 assets, uint256 shares)";
export const withdraw = "Withdraw(address indexed sender, address indexed receiver, address indexed owner, uint256 assets, uint256 shares)";

/** A factory's vaults. The price of 10^36 shares is read at each block that touches a vault and every 16 blocks. */
export const vaultsOf = (factory: Address | null, parts: Partial<Protocol> = {}): Protocol =>
  protocolOf({
    id: "vaults",
    contracts: {
      factory: contractOf(factory === null ? {} : { test: [{ address: factory, from: 1 }] }),
      vault: contractOf({}, [{ contract: "factory", event: created, parameter: "vault" }]),
    },
    tables: [
      tableOf("deposits", "vault", [deposit], { indexes: [["owner"]], latestBy: ["contract", "owner"] }),
      tableOf("withdrawals", "vault", [withdraw], { indexes: [["owner"], ["receiver"]] }),
    ],
    reads: [
      readOf("share_price", "vault", "convertToAssets(uint256 shares) view returns (uint256 assets)", {
        arguments: [(10n ** 36n).toString()],
        touchedBy: ["deposits", "withdrawals"],
        everyBlocks: 16,
        latest: true,
      }),
    ],
    ...parts,
  });

export interface CommunityIndex {
  readonly running: TestIndexer;
  readonly warnings: string[];
  /** Calls that fail: those at heights up to `lacksUpTo` except for heights in `keeps`, those to `contracts`, and all calls while `isDown`. */
  readonly fault: { lacksUpTo: number; keeps: ReadonlySet<number>; contracts: ReadonlySet<Address>; isDown: boolean };
  /** Waits until the index is at the node's head. */
  waitForHead(): Promise<void>;
  /** Waits for the node's head, then runs the jobs until nothing is due. */
  sync(): Promise<void>;
  end(): Promise<void>;
}

export interface CommunityOptions {
  readonly protocols: readonly Protocol[];
  readonly community?: ConfiguredContracts;
  readonly readerRole?: string | null;
  readonly isPruned?: boolean;
  /** Projections in addition to the token projection and the protocols' projections. */
  readonly projections?: readonly Projection[];
}

/** Starts an index of tokens and declared protocols that follows a chain. The jobs run on demand. */
export const startCommunityIndex = async (
  chain: TestChain,
  database: Database,
  { protocols, community = {}, readerRole = null, isPruned = false, projections = [] }: CommunityOptions,
): Promise<CommunityIndex> => {
  const notes: string[] = [];
  const declared = openProtocols({
    database,
    chain: { ...chainOf(), community },
    protocols,
    readerRole,
    isPruned,
    logger: { info: (message) => notes.push(message) },
  });
  const running = await createTestIndexer(chain.url, database, {
    projections: [tokensProjection, ...projections, ...declared.projections],
    blockBoundTables: declared.blockBoundTables,
    prepareTables: declared.prepareTables,
  });
  const end = runInBackground(running);
  const warnings: string[] = [];
  const fault: CommunityIndex["fault"] = { lacksUpTo: -1, keeps: new Set(), contracts: new Set(), isDown: false };
  const isReady = () => {
    const { isLeading, isFollowing, catchingUp } = running.indexer.status();
    return isLeading && isFollowing && catchingUp.length === 0;
  };
  let clock = Date.UTC(2026, 0, 1);
  const scheduler = createChainScheduler({
    chainName: "test",
    chainId: 31337,
    database,
    source: faultySource(running.source, fault, isPruned),
    jobs: declared.jobs,
    multicallAddress,
    runExclusive: running.indexer.runExclusive,
    runExclusiveKeepingCache: running.indexer.runExclusiveKeepingCache,
    isReady,
    clock: () => new Date(clock),
    logger: { info: () => undefined, warn: (message) => warnings.push(message) },
  });
  const waitForHead = () => until("the index to reach the head", async () => isReady() && (await isAtHead(database, chain)));
  return {
    running,
    warnings,
    fault,
    waitForHead,
    sync: async () => {
      await waitForHead();
      for (let minute = 0; minute < 3; minute += 1) {
        for (let rounds = 0; (await scheduler.runDue()) && rounds < 100; rounds += 1);
        clock += 60_000;
      }
    },
    end,
  };
};

const faultySource = (source: Source, fault: CommunityIndex["fault"], isPruned: boolean): Source => ({
  ...source,
  capabilities: { ...source.capabilities, hasArchiveState: !isPruned },
  runCalls: async (calls, height) => {
    if (fault.isDown) throw new Error("The node is down.");
    const outcomes = await source.runCalls(calls, height);
    return outcomes.map((outcome, position): CallOutcome => {
      const isFailing = (height <= fault.lacksUpTo && !fault.keeps.has(height)) || isCallTo(calls[position], fault.contracts);
      return isFailing ? { ok: false, reverted: false } : outcome;
    });
  },
});

/** Whether a call, or a call within a multicall, is to one of the contracts. A multicall's data contains the addresses that it calls. */
const isCallTo = (call: ContractCall | undefined, contracts: ReadonlySet<Address>): boolean =>
  call !== undefined &&
  [...contracts].some((address) => call.to === address || (call.to === multicallAddress && call.data.includes(address.slice(2))));
