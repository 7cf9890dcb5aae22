import { poolsProjectionId } from "../../domains/pools/projection/index.ts";
import { isoTimestamp } from "../../lib/time.ts";
import { chainFields } from "../chains/view-chain.ts";
import type { Handlers } from "../context.ts";
import { requireExchange } from "./exchanges.ts";

/** The last block that an exchange's data includes, and the network's newest block. @throws {RequestError} 404 if the exchange is unknown. */
export const getHealthData: Handlers["getHealthData"] = async ({ chain, dexName }, context) => {
  requireExchange(context, chain, dexName);
  context.markVolatile();
  const { checkpoints, ledger, network } = context;
  const checkpoint = checkpoints.get(poolsProjectionId);
  const [synced, chains, nodes] = await Promise.all([
    // There is no block at a checkpoint before the first block.
    checkpoint === undefined ? null : ledger.blockByNumber(chain.id, checkpoint),
    ledger.chains(),
    network.nodes(),
  ]);
  const node = nodes.find((row) => row.chain_id === chain.id);
  return {
    ...chainFields(chain, context.contentTime()),
    items: [
      {
        synced_block_height: synced?.number ?? null,
        synced_block_signed_at: synced === null ? null : isoTimestamp(synced.timestamp),
        latest_block_height: chains.find((row) => row.chain_id === chain.id)?.latest_block ?? null,
        latest_block_signed_at: typeof node?.latest_timestamp === "number" ? isoTimestamp(node.latest_timestamp) : null,
      },
    ],
    pagination: null,
  };
};
