import type { DecodedEvent } from "../../../../events/decoded-block.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { type Address, zeroAddress } from "../../../../lib/hex.ts";
import { standards } from "../../../tokens/projection/standards.ts";

/** A transfer of token units between two accounts. */
export interface Move {
  readonly logIndex: number;
  readonly collection: Address;
  readonly tokenId: bigint;
  readonly standard: number;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
}

/** Units of a move allocated to an order. */
export interface AllocatedUnits {
  readonly move: Move;
  readonly units: bigint;
}

/** Max moves of one id considered per transaction: each order may scan all of them. */
const maxMoves = 1_000;
/** Max accounts through which a token is followed: every sale event may trigger this search. */
const maxSteps = 8;

const min = (left: bigint, right: bigint): bigint => (left < right ? left : right);
const keyOf = (collection: Address, tokenId: bigint): string => `${collection}${tokenId}`;

/** A transaction's transfers of collections' tokens, from their Transfer events. Mints and burns are not trades. */
export const createMovedTokens = (events: readonly DecodedEvent[]) => {
  const moves = groupBy(
    events.flatMap(movesOf).filter(({ from, to, amount }) => from !== zeroAddress && to !== zeroAddress && amount > 0n),
    ({ collection, tokenId }) => keyOf(collection, tokenId),
  );
  for (const tokenMoves of moves.values()) tokenMoves.splice(maxMoves);
  const movesOfToken = (collection: Address, tokenId: bigint): readonly Move[] => moves.get(keyOf(collection, tokenId)) ?? [];
  /** Moves with units allocated to an order on any marketplace. */
  const sold = new Set<Move>();

  return {
    /** Creates an allocation of moved units to one marketplace's orders: each unit to one order, independently of other marketplaces. */
    createAllocation: () => {
      const remaining = new Map<Move, bigint>();
      /** The moves of a token with units remaining. */
      const openMoves = new Map<string, readonly Move[]>();
      const followed = new Set<Move>();
      return {
        /** Allocates units of a token from matching moves with units remaining. */
        allocate: (collection: Address, tokenId: bigint, units: bigint, matches: (move: Move) => boolean): AllocatedUnits[] => {
          const allocated: AllocatedUnits[] = [];
          let unallocated = units;
          const key = keyOf(collection, tokenId);
          const candidates = openMoves.get(key) ?? movesOfToken(collection, tokenId);
          for (const move of candidates) {
            if (unallocated === 0n) break;
            if (!matches(move)) continue;
            const available = remaining.get(move) ?? move.amount;
            const part = min(available, unallocated);
            remaining.set(move, available - part);
            unallocated -= part;
            sold.add(move);
            allocated.push({ move, units: part });
          }
          if (allocated.length > 0)
            openMoves.set(
              key,
              candidates.filter((move) => remaining.get(move) !== 0n),
            );
          return allocated;
        },
        /**
         * The account that has the units at the end of the transaction, or had them at its start: a contract that the sender used as an intermediary
         * passes bought units on right after the sale, and receives sold ones right before it. A resale is not followed.
         */
        follow: ({ move, units }: AllocatedUnits, side: "from" | "to", sender: Address | null): Address => {
          let end = move;
          for (let step = 0; step < maxSteps && end[side] !== sender; step += 1) {
            const next = movesOfToken(move.collection, move.tokenId).find(
              (other) =>
                (side === "to"
                  ? other.from === end.to && other.logIndex > end.logIndex
                  : other.to === end.from && other.logIndex < end.logIndex) &&
                other.amount === units &&
                !sold.has(other) &&
                !followed.has(other),
            );
            if (next === undefined) break;
            followed.add(next);
            end = next;
          }
          return end[side];
        },
      };
    },
  };
};

/** Allocates moved units to one marketplace's orders. */
export type MoveAllocation = ReturnType<ReturnType<typeof createMovedTokens>["createAllocation"]>;

const movesOf = (event: DecodedEvent): Move[] => {
  if (event.kind === "erc721Transfer") {
    const { logIndex, address, tokenId, from, to } = event;
    return [{ logIndex, collection: address, tokenId, standard: standards.erc721, from, to, amount: 1n }];
  }
  if (event.kind !== "erc1155Transfer") return [];
  const { logIndex, address, from, to, items } = event;
  return items.map(({ tokenId, amount }) => ({ logIndex, collection: address, tokenId, standard: standards.erc1155, from, to, amount }));
};
