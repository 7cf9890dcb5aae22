import type { DecodedEvent } from "../../../../events/decoded-block.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { type Address, zeroAddress } from "../../../../lib/hex.ts";
import { standards } from "../../../tokens/projection/standards.ts";

/** A transfer of units of a token between two accounts. */
export interface Move {
  readonly logIndex: number;
  readonly collection: Address;
  readonly tokenId: bigint;
  readonly standard: number;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
}

/** The units of a move that an order accounts for. */
export interface Taken {
  readonly move: Move;
  readonly units: bigint;
}

/** Max moves of one id that are considered per transaction, because each order may scan all of them. */
const maxMoves = 1_000;
/** Max accounts through which a token is followed, because every sale event may cause one such walk. */
const maxSteps = 8;

const lesser = (left: bigint, right: bigint): bigint => {
  if (left < right) return left;
  return right;
};
const keyOf = (collection: Address, tokenId: bigint): string => `${collection}${tokenId}`;

/** The transfers of collections' tokens in a transaction, by their Transfer events. Mints and burns are not trades. */
export const createMovedTokens = (events: readonly DecodedEvent[]) => {
  const moves = groupBy(
    events.flatMap(movesOf).filter(({ from, to, amount }) => from !== zeroAddress && to !== zeroAddress && amount > 0n),
    ({ collection, tokenId }) => keyOf(collection, tokenId),
  );
  for (const own of moves.values()) own.splice(maxMoves);
  const movesOfToken = (collection: Address, tokenId: bigint): readonly Move[] => moves.get(keyOf(collection, tokenId)) ?? [];
  /** Moves that an order of some marketplace accounts for. */
  const sold = new Set<Move>();

  return {
    /** Opens the book of one marketplace: its orders account for each unit once, independently of other marketplaces. */
    openBook: () => {
      const left = new Map<Move, bigint>();
      /** The moves of a token with units left. */
      const open = new Map<string, readonly Move[]>();
      const passed = new Set<Move>();
      return {
        /** Takes units of a token from matching moves that have units left. */
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
         * The account that has the units at the end of the transaction, or had them at its start: a contract that the sender used as an intermediary
         * passes bought units on right after the sale, and receives sold ones right before it. A resale does not count.
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

/** The units that the orders of one marketplace account for. */
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
