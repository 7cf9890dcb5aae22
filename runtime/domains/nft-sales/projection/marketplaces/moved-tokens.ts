import type { DecodedEvent } from "../../../../events/decoded-block.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { type Address, zeroAddress } from "../../../../lib/hex.ts";
import { standards } from "../../../tokens/projection/standards.ts";

/** Units of a token that went from one account to another. */
export interface Move {
  readonly logIndex: number;
  readonly collection: Address;
  readonly tokenId: bigint;
  readonly standard: number;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
}

/** A part of a move that an order accounts for. */
export interface Taken {
  readonly move: Move;
  readonly units: bigint;
}

/** Moves of one id in one transaction that are looked at; more are no trade, but would have each order look at each of them. */
const maxMoves = 1_000;
/** Accounts that a token is followed through; more are no passing on, but would have each contract's telling go a long way. */
const maxSteps = 8;

const lesser = (left: bigint, right: bigint): bigint => {
  if (left < right) return left;
  return right;
};
const keyOf = (collection: Address, tokenId: bigint): string => `${collection}${tokenId}`;

/** What of collections' tokens really moved in a transaction, by their Transfer events. Mints and burns are nobody's trade. */
export const createMovedTokens = (events: readonly DecodedEvent[]) => {
  const moves = groupBy(
    events.flatMap(movesOf).filter(({ from, to, amount }) => from !== zeroAddress && to !== zeroAddress && amount > 0n),
    ({ collection, tokenId }) => keyOf(collection, tokenId),
  );
  for (const own of moves.values()) own.splice(maxMoves);
  const movesOfToken = (collection: Address, tokenId: bigint): readonly Move[] => moves.get(keyOf(collection, tokenId)) ?? [];
  /** Moves that some marketplace has an order for. */
  const sold = new Set<Move>();

  return {
    /** What one marketplace's orders account for: no unit is sold twice there, and what others tell of the same moves takes nothing away. */
    openBook: () => {
      const left = new Map<Move, bigint>();
      /** The moves of a token that have units left. */
      const open = new Map<string, readonly Move[]>();
      const passed = new Set<Move>();
      return {
        /** Units of a token that moved as they should, and were not taken before. */
        take: (collection: Address, tokenId: bigint, units: bigint, fits: (move: Move) => boolean): Taken[] => {
          const taken: Taken[] = [];
          let missing = units;
          const key = keyOf(collection, tokenId);
          const moves = open.get(key) ?? movesOfToken(collection, tokenId);
          for (const move of moves) {
            if (missing === 0n) break;
            if (!fits(move)) continue;
            const rest = left.get(move) ?? move.amount;
            const part = lesser(rest, missing);
            left.set(move, rest - part);
            missing -= part;
            sold.add(move);
            taken.push({ move, units: part });
          }
          if (taken.length > 0)
            open.set(
              key,
              moves.filter((move) => left.get(move) !== 0n),
            );
          return taken;
        },
        /**
         * Who has the units in the end, or had them in the beginning: a contract that the transaction's sender went through passes on at once what it bought, and
         * what it sells was given to it right before. What is sold on is no passing on.
         */
        follow: ({ move, units }: Taken, side: "from" | "to", sender: Address | null): Address => {
          let end = move;
          for (let step = 0; step < maxSteps && end[side] !== sender; step += 1) {
            const next = movesOfToken(move.collection, move.tokenId).find(
              (other) =>
                (side === "to"
                  ? other.from === end.to && other.logIndex > end.logIndex
                  : other.to === end.from && other.logIndex < end.logIndex) &&
                other.amount === units &&
                !sold.has(other) &&
                !passed.has(other),
            );
            if (next === undefined) break;
            passed.add(next);
            end = next;
          }
          return end[side];
        },
      };
    },
  };
};

/** What one marketplace's orders account for. */
export type MovesBook = ReturnType<ReturnType<typeof createMovedTokens>["openBook"]>;

const movesOf = (event: DecodedEvent): Move[] => {
  if (event.kind === "erc721Transfer") {
    const { logIndex, address, tokenId, from, to } = event;
    return [{ logIndex, collection: address, tokenId, standard: standards.erc721, from, to, amount: 1n }];
  }
  if (event.kind !== "erc1155Transfer") return [];
  const { logIndex, address, from, to, items } = event;
  return items.map(({ tokenId, amount }) => ({ logIndex, collection: address, tokenId, standard: standards.erc1155, from, to, amount }));
};
