import type { LogSizes } from "../../domains/ledger/queries/log.ts";
import type { Address, Hash } from "../../lib/hex.ts";
import { viewLogWithBlock } from "./view-log.ts";

const hash: Hash = `0x${"0".repeat(64)}`;
const address: Address = `0x${"0".repeat(40)}`;

/** The shortest item in a log list, without topics and data. */
const shortestItem = viewLogWithBlock(
  {
    block_number: 0,
    block_hash: hash,
    timestamp: 0,
    log_index: 0,
    transaction_index: 0,
    transaction_hash: hash,
    address,
    topic0: null,
    topic1: null,
    topic2: null,
    topic3: null,
    data: "0x",
  },
  { metadata: undefined, label: null, logo: null, factory: null },
  null,
);
/** A value that is null in this item may be a single digit in another one, which is three bytes shorter. */
const savedPerNull = 3;
const values = Object.values(shortestItem);
const jsonBytes = JSON.stringify(shortestItem).length - savedPerNull * values.filter((value) => value === null).length;
/** CSV contains only the values; null is an empty cell. */
const csvBytes = values.reduce<number>((sum, value) => sum + (value === null ? 0 : String(value).length), 0);
/** A topic with its quotes. */
const topicBytes = hash.length + 2;

/** A lower bound for the size of logs in a response. */
export const minLogBytes = ({ count, dataBytes, topics }: LogSizes, format: "json" | "csv"): number =>
  count * (format === "json" ? jsonBytes : csvBytes) + 2 * dataBytes + topics * topicBytes;
