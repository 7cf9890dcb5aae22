import { asList, asObject, readAddress, readData, readHash, readQuantity, toQuantity } from "../../../chain/quantities.ts";
import type { Rpc } from "../../../chain/rpc.ts";
import type { ChainLog } from "../../../chain/types.ts";
import { groupBy } from "../../../lib/group-by.ts";
import type { Hash } from "../../../lib/hex.ts";
import type { BlockWithLogs } from "../projection/candidates.ts";

interface NodeLog {
  readonly transactionIndex: number;
  readonly log: ChainLog;
}

/** The blocks' logs with one of these first topics, as the node returns them; null for a block if it does not return the block's logs. */
export const nodeLogsOf = async (
  rpc: Pick<Rpc, "settle">,
  blocks: readonly number[],
  topics: readonly Hash[],
): Promise<(BlockWithLogs | null)[]> => {
  const results = await rpc.settle(
    blocks.map((number) => {
      const [fromBlock, toBlock] = [toQuantity(number), toQuantity(number)];
      return { method: "eth_getLogs", params: [{ fromBlock, toBlock, topics: [topics] }] };
    }),
  );
  return blocks.map((number, position) => {
    const result = results[position];
    if (result?.ok !== true || !Array.isArray(result.value)) return null;
    const logs = result.value.map(toNodeLog).sort((left, right) => left.log.index - right.log.index);
    const transactions = [...groupBy(logs, ({ transactionIndex }) => transactionIndex)].map(([index, entries]) => ({
      index,
      logs: entries.map(({ log }) => log),
    }));
    return { block: { number, transactions } };
  });
};

const toNodeLog = (value: unknown): NodeLog => {
  const raw = asObject(value, "log");
  return {
    transactionIndex: readQuantity(raw, "transactionIndex"),
    log: {
      index: readQuantity(raw, "logIndex"),
      address: readAddress(raw, "address"),
      topics: asList(raw.topics, "topics").map((topic) => readHash({ topic }, "topic")),
      data: readData(raw, "data"),
    },
  };
};
