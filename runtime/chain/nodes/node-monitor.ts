import { sleep } from "../../lib/async.ts";
import type { Hash } from "../../lib/hex.ts";
import type { FailureKind } from "../request-failure.ts";
import { bestNodePosition, isLate, type NodeHealth, nextErrorRate, problemOf, referenceHead, voteOnBlock } from "./node-health.ts";
import { createNodeReader, type NodeReader } from "./node-reader.ts";

export interface NodeMonitorOptions {
  readonly chain: { readonly name: string; readonly id: number };
  /** In order of preference; may contain secrets: messages show only the position and the host. */
  readonly urls: readonly string[];
  /** The hash of an indexed block; null if it is not indexed. */
  readonly indexedHash: (height: number) => Promise<Hash | null>;
  readonly logger: { info(message: string): void; warn(message: string): void };
  readonly pollMilliseconds?: number;
  readonly random?: () => number;
}

/** Monitors a chain's nodes, and chooses the one to index from. */
export interface NodeMonitor {
  /** The position of the node to use. */
  readonly currentPosition: number;
  /** Aborts when the current node is replaced; each node in use has its own signal. */
  readonly replacedSignal: AbortSignal;
  /** Polls the nodes until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Reports a request that the indexer sent to a node. */
  recordRequest(position: number, failure: FailureKind | null): void;
  /** Quarantines a node that the indexer refuses. Resolves to whether another one is used instead. */
  refuse(position: number, reason: string): Promise<boolean>;
}

/** One node's state. */
interface Node extends NodeHealth {
  /** Shown in messages. */
  readonly name: string;
  head: number | null;
  errorRate: number;
  lateRounds: number;
  isCompared: boolean;
  isQuarantined: boolean;
  quarantinedUntil: number;
  /** The block that caused its quarantine; until the quarantine ends, every comparison includes it. */
  disputedHeight: number | null;
}

const defaultPollMilliseconds = 5_000;
/** The interval after a poll of the current node failed. */
const pollMillisecondsAfterFailure = 1_000;
/** Rounds between two comparisons of blocks. */
const roundsPerComparison = 12;
/** How far below the head blocks are compared: reorganisations are not that deep. */
const comparisonDepth = 64;
const quarantineMilliseconds = 600_000;
/** Two failed polls, or four failed indexer requests, in a row exceed the max error rate. */
const weights = { poll: 0.3, request: 0.2 } as const;

/** Creates a chain's node monitor; it starts with the first node. */
export const createNodeMonitor = (options: NodeMonitorOptions): NodeMonitor => {
  const { chain, urls, indexedHash, logger, pollMilliseconds = defaultPollMilliseconds, random = Math.random } = options;
  const nodes: Node[] = urls.map((url, position) => ({
    name: `node ${position + 1} (${new URL(url).host})`,
    head: null,
    errorRate: 0,
    lateRounds: 0,
    isCompared: false,
    isQuarantined: false,
    quarantinedUntil: 0,
    disputedHeight: null,
  }));
  let current = 0;
  let replaced = new AbortController();
  let round: Promise<void> = Promise.resolve();
  let wasDisputed = false;

  /** Replaces the current node if it has a problem and another one has none. */
  const chooseNode = (): void => {
    const node = nodes[current] as Node;
    const problem = problemOf(node, referenceHead(nodes));
    const best = problem === null ? null : bestNodePosition(nodes);
    const next = best === null ? undefined : nodes[best];
    if (best === null || next === undefined) return;
    logger.warn(`Indexing ${chain.name} continues with ${next.name} instead of ${node.name}: ${problem}`);
    current = best;
    const previous = replaced;
    replaced = new AbortController();
    previous.abort();
  };

  const quarantine = (node: Node, reason: string, height: number | null): void => {
    if (!node.isQuarantined) logger.warn(`Quarantined ${node.name} of ${chain.name}: ${reason}`);
    node.isQuarantined = true;
    node.quarantinedUntil = performance.now() + quarantineMilliseconds;
    node.disputedHeight = height;
  };

  const endQuarantines = (): void => {
    for (const node of nodes) {
      if (!node.isQuarantined || performance.now() < node.quarantinedUntil) continue;
      node.isQuarantined = false;
      node.isCompared = false;
      node.disputedHeight = null;
      logger.info(`The quarantine of ${node.name} of ${chain.name} has ended`);
    }
  };

  const pollNode = async (node: Node, reader: NodeReader): Promise<void> => {
    const status = await reader.status();
    node.errorRate = nextErrorRate(node.errorRate, status === null, weights.poll);
    if (status === null) {
      node.isCompared = false;
      return;
    }
    node.head = status.head;
    if (status.chainId !== chain.id) quarantine(node, `it reports chain id ${status.chainId}, expected ${chain.id}`, null);
  };

  /** Quarantines nodes with a wrong hash of a block. Returns whether it is unknown which hash is right. */
  const compareHashes = async (height: number, hashes: readonly (Hash | null)[]): Promise<boolean> => {
    const { hash: correctHash, isDisputed } = voteOnBlock(hashes, await indexedHash(height).catch(() => null));
    if (correctHash === null) return isDisputed;
    for (const [position, node] of nodes.entries()) {
      const hash = hashes[position] ?? null;
      if (hash !== null && hash !== correctHash) quarantine(node, `its block ${height} has hash ${hash}, expected ${correctHash}`, height);
    }
    return false;
  };

  /** Compares some blocks that all nodes should have. */
  const compareBlocks = async (readers: readonly NodeReader[]): Promise<void> => {
    const head = referenceHead(nodes);
    if (head === null) return;
    const latest = Math.max(0, head - comparisonDepth);
    const disputed = nodes.flatMap(({ disputedHeight }) => disputedHeight ?? []);
    const heights = [...new Set([latest, Math.floor(random() * (latest + 1)), ...disputed])];
    const hashes = await Promise.all(readers.map((reader) => reader.hashes(heights)));
    const undecided: boolean[] = [];
    for (const [index, height] of heights.entries())
      undecided.push(
        await compareHashes(
          height,
          hashes.map((nodeHashes) => nodeHashes[index] ?? null),
        ),
      );
    for (const [position, node] of nodes.entries()) node.isCompared = hashes[position]?.[0] != null;
    const isDisputed = undecided.includes(true);
    if (isDisputed && !wasDisputed)
      logger.warn(`The nodes of ${chain.name} have different blocks, and neither a majority nor the index decides which is right`);
    wasDisputed = isDisputed;
  };

  const runRound = async (readers: readonly NodeReader[], number: number, signal: AbortSignal): Promise<void> => {
    await Promise.all(nodes.map((node, position) => pollNode(node, readers[position] as NodeReader)));
    endQuarantines();
    const hasReturned = nodes.some(({ isCompared, errorRate }) => !isCompared && errorRate < weights.poll);
    if (hasReturned || number % roundsPerComparison === 0) await compareBlocks(readers);
    if (signal.aborted) return;
    const reference = referenceHead(nodes);
    for (const node of nodes) node.lateRounds = isLate(node, reference) ? node.lateRounds + 1 : 0;
    chooseNode();
  };

  return {
    get currentPosition() {
      return current;
    },
    get replacedSignal() {
      return replaced.signal;
    },
    run: async (signal) => {
      const readers = urls.map(createNodeReader);
      // Aborts the current round's requests.
      const close = (): void => void Promise.all(readers.map((reader) => reader.close()));
      if (!signal.aborted) signal.addEventListener("abort", close, { once: true });
      for (let number = 0; !signal.aborted; number += 1) {
        round = runRound(readers, number, signal);
        await round;
        const hasFailed = (nodes[current] as Node).errorRate >= weights.poll;
        await sleep(hasFailed ? Math.min(pollMillisecondsAfterFailure, pollMilliseconds) : pollMilliseconds, signal);
      }
    },
    recordRequest: (position, failure) => {
      const node = nodes[position];
      // Other failures are about the requests' content.
      if (node === undefined || (failure !== null && failure !== "transient" && failure !== "down")) return;
      node.errorRate = nextErrorRate(node.errorRate, failure !== null, weights.request);
      if (failure !== null && position === current) chooseNode();
    },
    refuse: async (position, reason) => {
      quarantine(nodes[position] as Node, reason, null);
      await round;
      if (position === current) chooseNode();
      return position !== current;
    },
  };
};
