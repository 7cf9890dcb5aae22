import type { Row } from "../../../indexer/projection.ts";
import type { State } from "../../../indexer/state/state.ts";
import { standards } from "../../tokens/projection/standards.ts";
import type { Sold } from "./marketplaces/marketplace.ts";

/** Days after a sale in which another between the same two makes both wash trades. */
const washDays = 30;

/** What is known of a sale by the ones after it. */
interface Earlier {
  readonly sale: number;
  readonly day: number;
  readonly isWash: boolean;
  readonly row: Row;
}

type Trade = Pick<Sold, "collection" | "tokenId" | "seller" | "buyer" | "standard" | "movedAt">;

/** Whether a sale is a wash trade by what came before, and the sale that it makes one; null where that was known to be one already. */
interface Verdict {
  readonly isWash: boolean;
  readonly marked: Row | null;
}

/**
 * Finds wash trades: a sale to oneself; and two sales of a token between the same two accounts of which the second comes at most 30 UTC days after the first. A
 * unique token that one sold to the other before must have come back, so which of them sells does not matter. Units of an ERC-1155 id are many, so
 * only a sale the other way undoes the last one. Sales at all marketplaces count, since each of them really moved the token between the two; where several contracts
 * tell of one move, it is one trade, and the same is held of it.
 */
export const createWashBook = (state: State) => {
  const known = new Map<string, Earlier | null>();
  const keyOf = ({ collection, tokenId, seller, buyer }: Trade): string => `${collection}${tokenId}${seller}${buyer}`;
  const last = (trade: Trade): Earlier | null => {
    const key = keyOf(trade);
    let earlier = known.get(key);
    if (earlier === undefined) {
      const row = state.get("between", trade.collection, trade.tokenId, trade.seller, trade.buyer);
      earlier = row === undefined ? null : earlierOf(row);
      known.set(key, earlier);
    }
    return earlier;
  };

  const judge = (trade: Trade, day: number): Verdict => {
    if (trade.seller === trade.buyer) return { isWash: true, marked: null };
    const same = last(trade);
    const back = last({ ...trade, seller: trade.buyer, buyer: trade.seller });
    const isNewer = same !== null && (back === null || same.sale > back.sale);
    const earlier = trade.standard === standards.erc1155 ? back : isNewer ? same : back;
    if (earlier === null || day - earlier.day > washDays) return { isWash: false, marked: null };
    // What was sold the same way since then has marked it already.
    const isMarked = earlier.isWash || (trade.standard === standards.erc1155 && isNewer);
    return { isWash: true, marked: isMarked ? null : earlier.row };
  };

  /** What is held of the moves of the block. */
  const judged = new Map<string, boolean>();

  return {
    openBlock: (): void => judged.clear(),
    judge: (trade: Trade, day: number): Verdict => {
      const key = `${keyOf(trade)}|${trade.movedAt}`;
      const told = judged.get(key);
      if (told !== undefined) return { isWash: told, marked: null };
      const verdict = judge(trade, day);
      judged.set(key, verdict.isWash);
      return verdict;
    },
    remember: (trade: Trade, row: Row): void => void known.set(keyOf(trade), earlierOf(row)),
  };
};

const earlierOf = (row: Row): Earlier => ({ sale: Number(row.sale), day: Number(row.day), isWash: row.is_wash === true, row });
