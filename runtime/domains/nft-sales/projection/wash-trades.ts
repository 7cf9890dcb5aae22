import type { Row } from "../../../indexer/projection.ts";
import type { State } from "../../../indexer/state/state.ts";
import { standards } from "../../tokens/projection/standards.ts";
import type { Sold } from "./marketplaces/marketplace.ts";

/** Days after a sale within which another one between the same two accounts makes both wash trades. */
const washDays = 30;

/** A previous sale, as later ones see it. */
interface Earlier {
  readonly sale: number;
  readonly day: number;
  readonly isWash: boolean;
  readonly row: Row;
}

type Trade = Pick<Sold, "collection" | "tokenId" | "seller" | "buyer" | "standard" | "movedAt">;

/** Whether a sale is a wash trade by the sales before it, and the sale that it turns into one; null if that already was one. */
interface WashResult {
  readonly isWash: boolean;
  readonly marked: Row | null;
}

/**
 * Finds wash trades: sales to oneself, and two sales of a token between the same two accounts of which the second is at most 30 UTC days after the first. A
 * unique token that an account sold to the other before must have come back, so either of them may be the seller. An ERC-1155 id has many units, so only a
 * sale in the opposite direction undoes the last one. Sales at all marketplaces count, since each moved the token between the two; if several contracts
 * emit a sale for one movement, it is one trade with one result.
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

  const judge = (trade: Trade, day: number): WashResult => {
    if (trade.seller === trade.buyer) return { isWash: true, marked: null };
    const same = last(trade);
    const back = last({ ...trade, seller: trade.buyer, buyer: trade.seller });
    const isNewer = same !== null && (back === null || same.sale > back.sale);
    const earlier = trade.standard === standards.erc1155 ? back : isNewer ? same : back;
    if (earlier === null || day - earlier.day > washDays) return { isWash: false, marked: null };
    // A later sale in the same direction has already marked it.
    const isMarked = earlier.isWash || (trade.standard === standards.erc1155 && isNewer);
    return { isWash: true, marked: isMarked ? null : earlier.row };
  };

  /** The results for movements of the current block. */
  const results = new Map<string, boolean>();

  return {
    openBlock: (): void => results.clear(),
    judge: (trade: Trade, day: number): WashResult => {
      const key = `${keyOf(trade)}|${trade.movedAt}`;
      const known = results.get(key);
      if (known !== undefined) return { isWash: known, marked: null };
      const result = judge(trade, day);
      results.set(key, result.isWash);
      return result;
    },
    remember: (trade: Trade, row: Row): void => void known.set(keyOf(trade), earlierOf(row)),
  };
};

const earlierOf = (row: Row): Earlier => ({ sale: Number(row.sale), day: Number(row.day), isWash: row.is_wash === true, row });
