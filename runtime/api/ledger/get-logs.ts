import type { GetLogsRequest } from "../../../generated/requests.gen.ts";
import { notFound, unsupportedValue } from "../../lib/request-error.ts";
import { mapInTurns } from "../../lib/turns.ts";
import { type BlockRange, rangeOf } from "../block-references.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers, ResolverContext } from "../context.ts";
import { sendersOf, viewLogWithBlock } from "./view-log.ts";

/** Logs of the latest block, of one block by its hash, or of a range. @throws {RequestError} 400 if it is too long, 404 if the hash is unknown. */
export const getLogs: Handlers["getLogs"] = async (request, context) => {
  const { chain, address, topics, skipDecode } = request;
  const { indexedFrom } = context;
  const range = await requestedRange(request, context, indexedFrom);
  context.counted.blocks = range === null ? 0 : range.last - range.first + 1;
  const rows =
    range === null
      ? []
      : await context.ledger.logs(chain.id, { ...range, address, topics: topics ?? [] }, context.limits.answerRows + 1, 0);
  if (range !== null && rows.length > context.limits.answerRows) {
    throw unsupportedValue(
      "starting-block and ending-block",
      `${range.first} to ${range.last}`,
      `a range with at most ${context.limits.answerRows} matching logs`,
    );
  }
  const senders = await sendersOf(context, chain.id, rows);
  return {
    ...chainFields(chain, context.now()),
    items: await mapInTurns(rows, (row) => viewLogWithBlock(row, senders(row.address), skipDecode ? null : context.decoderOf(chain.id))),
    indexed_from: indexedFrom,
  };
};

/** The requested blocks that are indexed, which are also the ones that are charged; null if there are none. */
async function requestedRange(request: GetLogsRequest, context: ResolverContext, indexedFrom: number | null): Promise<BlockRange | null> {
  const { chain, startingBlock, endingBlock, blockHash } = request;
  if (blockHash !== null) {
    const block = await context.ledger.blockByHash(chain.id, blockHash);
    if (block === null) throw notFound("Block", blockHash, chain.name);
    return { first: block.number, last: block.number };
  }
  const latest = startingBlock === null && endingBlock === null;
  const range = rangeOf(context, latest ? { startingBlock: "latest", endingBlock } : request, indexedFrom);
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
