import type { GetLogsRequest } from "../../../generated/requests.gen.ts";
import type { LogFilter } from "../../domains/ledger/queries/log-filter.ts";
import type { LogRow } from "../../domains/ledger/queries/log-row.ts";
import { notFound, responseTooLarge, unsupportedValue } from "../../lib/request-error.ts";
import { mapInTurns } from "../../lib/turns.ts";
import { type BlockRange, rangeOf } from "../block-references.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers, ResolverContext } from "../context.ts";
import { minLogBytes } from "./log-bytes.ts";
import { sendersOf, viewLogWithBlock } from "./view-log.ts";

/** Logs in the latest block, in one block by its hash, or in a block range. @throws {RequestError} 400 if the range is too long, 404 if the hash is unknown. */
export const getLogs: Handlers["getLogs"] = async (request, context) => {
  const { chain, address, topics, skipDecode } = request;
  const { indexedFrom } = context;
  const range = await requestedRange(request, context, indexedFrom);
  context.chargedQuantities.blockCount = range === null ? 0 : range.last - range.first + 1;
  const rows = range === null ? [] : await logsOfRange(context, request, { ...range, address, topics: topics ?? [] });
  const senders = await sendersOf(context, chain.id, rows);
  return {
    ...chainFields(chain, context.contentTime()),
    items: await mapInTurns(rows, (row) => viewLogWithBlock(row, senders(row.address), skipDecode ? null : context.decoderOf(chain.id))),
    indexed_from: indexedFrom,
  };
};

/** Max logs in a range that are read without measuring their size first. */
const maxUnmeasured = 1_000;

/** The matching logs in a range. @throws {RequestError} 400 if there are more than a response may list, or if the response would be too large. */
async function logsOfRange(
  { ledger, limits }: ResolverContext,
  { chain, format }: GetLogsRequest,
  filter: LogFilter,
): Promise<readonly LogRow[]> {
  const max = limits.responseRows;
  const requireAtMostMax = (count: number): void => {
    if (count <= max) return;
    const range = `${filter.first} to ${filter.last}`;
    throw unsupportedValue("starting-block and ending-block", range, `a range with at most ${max} matching logs`);
  };
  if (max > maxUnmeasured) {
    const first = await ledger.logs(chain.id, filter, maxUnmeasured + 1, 0);
    if (first.length <= maxUnmeasured) return first;
    // A response that is too large would take seconds to read, decode and serialize.
    const sizes = await ledger.logSizes(chain.id, filter, max + 1);
    requireAtMostMax(sizes.count);
    const bytes = minLogBytes(sizes, format);
    if (bytes > limits.responseBytes) throw responseTooLarge(bytes, limits.responseBytes);
  }
  const rows = await ledger.logs(chain.id, filter, max + 1, 0);
  requireAtMostMax(rows.length);
  return rows;
}

/** The requested blocks that are indexed; the request is charged for these. Null if there are none. */
async function requestedRange(request: GetLogsRequest, context: ResolverContext, indexedFrom: number | null): Promise<BlockRange | null> {
  const { chain, startingBlock, endingBlock, blockHash } = request;
  if (blockHash !== null) {
    const block = await context.ledger.blockByHash(chain.id, blockHash);
    if (block === null) throw notFound("Block", blockHash, chain.name);
    return { first: block.number, last: block.number };
  }
  const isLatest = startingBlock === null && endingBlock === null;
  const range = rangeOf(context, isLatest ? { startingBlock: "latest", endingBlock } : request, indexedFrom);
  const count = range === null ? 0 : range.last - range.first + 1;
  const max = context.limits.blockRange;
  if (range !== null && count > max)
    throw unsupportedValue(
      "starting-block and ending-block",
      `${range.first} to ${range.last}`,
      `a range of at most ${max} blocks; this one has ${count}`,
    );
  return range;
}
