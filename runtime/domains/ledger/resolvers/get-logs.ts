import type { GetLogsRequest } from "../../../../generated/requests.gen.ts";
import { notAcceptable, notFound } from "../../../lib/request-error.ts";
import { type BlockRange, firstBlockOf, lastBlockOf } from "../../at.ts";
import type { Handlers, ResolverContext } from "../../context.ts";
import { chainHead } from "../../views/chain.ts";
import { sendersOf, viewLogWithBlock } from "../../views/log.ts";

/** Logs of the latest block, of one block by its hash, or of a range. @throws {notAcceptable} too long a range. @throws {notFound} an unknown hash. */
export const getLogs: Handlers["getLogs"] = async (request, context) => {
  const { chain, address, topics, skipDecode } = request;
  const range = await rangeOf(request, context);
  context.counted.blocks = range === null ? 0 : range.last - range.first + 1;
  const rows =
    range === null
      ? []
      : await context.ledger.logs(chain.id, { ...range, address, topics: topics ?? [] }, context.limits.answerRows + 1, 0);
  if (rows.length > context.limits.answerRows) {
    throw notAcceptable(
      "starting-block and ending-block",
      "a range with more logs",
      `a range with at most ${context.limits.answerRows} matching logs`,
    );
  }
  const senders = await sendersOf(context, chain.id, rows);
  return {
    ...chainHead(chain, context.now()),
    items: rows.map((row) => viewLogWithBlock(row, senders.get(row.address), skipDecode ? null : context.decoderOf(chain.id))),
    indexed_from: await context.ledger.indexedFrom(chain.id),
  };
};

/** The blocks that a request means, or null before the first block. */
async function rangeOf(
  { chain, startingBlock, endingBlock, blockHash }: GetLogsRequest,
  context: ResolverContext,
): Promise<BlockRange | null> {
  if (blockHash !== null) {
    const block = await context.ledger.blockByHash(chain.id, blockHash);
    if (block === null) throw notFound("Block", blockHash, chain.name);
    return { first: block.number, last: block.number };
  }
  if (context.anchor === null) return null;
  if (startingBlock === null && endingBlock === null) return { first: context.anchor, last: context.anchor };
  const first = firstBlockOf(context, startingBlock);
  const last = Math.max(first, lastBlockOf(context, endingBlock) ?? first);
  const count = last - first + 1;
  const most = context.limits.blockRange;
  if (count > most)
    throw notAcceptable(
      "starting-block and ending-block",
      `${first} to ${last}, which are ${count} blocks,`,
      `a range of at most ${most} blocks`,
    );
  return { first, last };
}
