import { expect } from "vitest";
import type { CommunityTransaction } from "../../../../generated/responses.gen.ts";
import type { BitcoinStory, LedgerEntry } from "../../../support/bitcoin/story.ts";
import type { BitcoinServer } from "./support.ts";

/** The fields of a ledger entry that are compared. */
type ComparedFields = Pick<LedgerEntry, "height" | "offset" | "txid" | "received" | "sent" | "fee">;

const amountOf = ({ amounts }: CommunityTransaction, direction: string): bigint =>
  BigInt(amounts.find((amount) => amount.direction === direction)?.amount ?? "0");

const fieldsOfItem = (item: CommunityTransaction): ComparedFields => {
  const fee = item.amounts.find(({ direction }) => direction === "OUT")?.fee ?? null;
  return {
    height: item.block_height,
    offset: item.tx_offset ?? -1,
    txid: item.tx_hash,
    received: amountOf(item, "IN"),
    sent: amountOf(item, "OUT"),
    fee: fee === null ? null : BigInt(fee),
  };
};

const fieldsOfEntry = ({ height, offset, txid, received, sent, fee }: LedgerEntry): ComparedFields => ({
  height,
  offset,
  txid,
  received,
  sent,
  fee,
});

/** Compares every address's served transactions with the story's ledger entries, mapped by `expected`. Returns the number of entries. */
export async function compareWithLedger(
  server: BitcoinServer,
  { wallets, entriesOf }: BitcoinStory,
  expected: (entries: readonly LedgerEntry[]) => readonly LedgerEntry[] = (entries) => entries,
): Promise<number> {
  let count = 0;
  for (const { address } of wallets) {
    if (address === null) continue;
    const entries = expected(entriesOf(address)).map(fieldsOfEntry);
    const items = await server.transactions(address, 1 + (count % 9));
    expect(items.map(fieldsOfItem), address).toEqual(entries);
    count += entries.length;
  }
  return count;
}
