import type { Hash } from "../../lib/hex.ts";

/** One node's health. */
export interface NodeHealth {
  /** Its last reported head; null before its first response. */
  readonly head: number | null;
  /** The failure rate, as a moving average from 0 to 1. */
  readonly errorRate: number;
  /** Rounds in a row in which it was behind the other nodes. */
  readonly lateRounds: number;
  /** Whether one of its block hashes was compared with the other nodes' since it last failed. */
  readonly isCompared: boolean;
  readonly isQuarantined: boolean;
}

/** A node with a higher failure rate is not used. */
const maxErrorRate = 0.5;
/** A node that is more than this many blocks behind the reference head is late. */
const maxLag = 16;
/** More than one, because nodes seem late by chance if the block time is below the interval between rounds. */
const maxLateRounds = 3;

/** The error rate after one more request, whose share of the average is the weight. */
export const nextErrorRate = (rate: number, hasFailed: boolean, weight: number): number => rate * (1 - weight) + (hasFailed ? weight : 0);

/**
 * The head that nodes are compared with. With three or more nodes it is the second highest, so that one node with a false head does not make the
 * others late; with two nodes it is the highest, because one of them may have stopped. Null if no node has reported a head.
 */
export const referenceHead = (nodes: readonly NodeHealth[]): number | null => {
  const heads = nodes.flatMap(({ head, isQuarantined }) => (head === null || isQuarantined ? [] : [head])).sort((a, b) => b - a);
  return heads[heads.length > 2 ? 1 : 0] ?? null;
};

const lagOf = ({ head }: NodeHealth, reference: number | null): number => Math.max(0, (reference ?? 0) - (head ?? 0));

/** Whether a node is late in this round. */
export const isLate = (node: NodeHealth, reference: number | null): boolean => node.head !== null && lagOf(node, reference) > maxLag;

/** Why a node should not be used; null if there is no reason. */
export const problemOf = (node: NodeHealth, reference: number | null): string | null => {
  if (node.isQuarantined) return "it is quarantined";
  if (node.errorRate > maxErrorRate) return "its requests fail";
  if (node.lateRounds >= maxLateRounds) return `it is ${lagOf(node, reference)} blocks behind`;
  return null;
};

/**
 * The best node's position: among nodes that have a compared block and no problem, the one with the lowest lag and error rate; null if
 * there is none.
 */
export const bestNodePosition = (nodes: readonly NodeHealth[]): number | null => {
  const reference = referenceHead(nodes);
  const score = (node: NodeHealth): number => lagOf(node, reference) / maxLag + node.errorRate / maxErrorRate;
  const usable = nodes.flatMap((node, position) =>
    node.head !== null && node.isCompared && problemOf(node, reference) === null && !isLate(node, reference)
      ? [{ position, score: score(node) }]
      : [],
  );
  // Nodes with the same score keep the configured order.
  return usable.sort((a, b) => a.score - b.score)[0]?.position ?? null;
};

/** The outcome of comparing one block: the right hash, or null if it is unknown which of several hashes is right. */
export interface BlockVote {
  readonly hash: Hash | null;
  readonly isDisputed: boolean;
}

/**
 * Decides which hash is right for a block: the one that more than half of the nodes with the block report, otherwise the indexed one, if a node
 * reports it.
 */
export const voteOnBlock = (hashes: readonly (Hash | null)[], indexed: Hash | null): BlockVote => {
  const votes = hashes.filter((hash) => hash !== null);
  const counts = new Map<Hash, number>();
  for (const hash of votes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  const majority = [...counts].find(([, count]) => count > votes.length / 2)?.[0];
  const fallback = indexed !== null && counts.has(indexed) ? indexed : null;
  return { hash: majority ?? fallback, isDisputed: counts.size > 1 };
};
