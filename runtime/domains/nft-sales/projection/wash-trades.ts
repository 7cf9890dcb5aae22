import type { Row } from "../../../indexer/projection.ts";
import type { State } from "../../../indexer/state/state.ts";
import { standards } from "../../tokens/projection/standards.ts";
import type { Sale } from "./marketplaces/marketplace-protocol.ts";

/** Max days between two sales of a token between the same two accounts for both to count as wash trades. */
const washDays = 30;

/** A previous sale of a token between two accounts. */
interface PreviousSale {
  readonly sale: number;
  readonly day: number;
  readonly isWash: boolean;
  readonly row: Row;
}

type Trade = Pick<Sale, "collection" | "tokenId" | "seller" | "buyer" | "standard" | "transferLogIndex">;

/** Whether earlier sales make a sale a wash trade, and the previous sale that it marks as one; null if there is none. */
interface WashResult {
  readonly isWash: boolean;
  readonly marked: Row | null;
}

/**
 * Finds wash trades: self-sales, and two sales of a token between the same two accounts, the second at most 30 UTC days after the first. For a unique
 * token, either account may be the seller: a token that one account sold to the other must have been returned. An ERC-1155 id has many units, so
 * only a sale in the opposite direction undoes the previous one. Sales at all marketplaces are included, because each moved the token between the two
 * accounts. If several contracts emit a sale for one movement, it is one trade with one result.
 */
export const createWashTradeDetector = (state: State) => {
  const previousSales = new Map<string, PreviousSale | null>();
  const keyOf = ({ collection, tokenId, seller, buyer }: Trade): string => `${collection}${tokenId}${seller}${buyer}`;
  const lastSale = (trade: Trade): PreviousSale | null => {
    const key = keyOf(trade);
    let previous = previousSales.get(key);
    if (previous === undefined) {
      const row = state.get("between", trade.collection, trade.tokenId, trade.seller, trade.buyer);
      previous = row === undefined ? null : previousSaleOf(row);
      previousSales.set(key, previous);
    }
    return previous;
  };

  const classify = (trade: Trade, day: number): WashResult => {
    if (trade.seller === trade.buyer) return { isWash: true, marked: null };
    const sameDirection = lastSale(trade);
    const oppositeDirection = lastSale({ ...trade, seller: trade.buyer, buyer: trade.seller });
    const isNewer = sameDirection !== null && (oppositeDirection === null || sameDirection.sale > oppositeDirection.sale);
    const previous = trade.standard === standards.erc1155 ? oppositeDirection : isNewer ? sameDirection : oppositeDirection;
    if (previous === null || day - previous.day > washDays) return { isWash: false, marked: null };
    // A later sale in the same direction has already marked the previous sale.
    const isMarked = previous.isWash || (trade.standard === standards.erc1155 && isNewer);
    return { isWash: true, marked: isMarked ? null : previous.row };
  };

  /** The results for movements of the current block. */
  const results = new Map<string, boolean>();

  return {
    startBlock: (): void => results.clear(),
    classify: (trade: Trade, day: number): WashResult => {
      const key = `${keyOf(trade)}|${trade.transferLogIndex}`;
      const isWash = results.get(key);
      if (isWash !== undefined) return { isWash, marked: null };
      const result = classify(trade, day);
      results.set(key, result.isWash);
      return result;
    },
    record: (trade: Trade, row: Row): void => void previousSales.set(keyOf(trade), previousSaleOf(row)),
  };
};

const previousSaleOf = (row: Row): PreviousSale => ({ sale: Number(row.sale), day: Number(row.day), isWash: row.is_wash === true, row });
