import type { ChainStatusItem } from "../../../generated/responses.gen.ts";
import { type AnyChainConfig, isBitcoinChain } from "../../config/config.ts";
import type { NodeRow } from "../../domains/chains/queries/status.ts";
import type { ChainRow } from "../../domains/ledger/queries/block.ts";
import { isoTimestamp } from "../../lib/time.ts";
import type { ChainDatabase, Handlers } from "../context.ts";
import { unavailableChains, updatedAt } from "./view-chain.ts";

/** Each network's indexing progress and its node's capabilities. */
export const getAllChainStatus: Handlers["getAllChainStatus"] = async (_request, context) => {
  context.markVolatile();
  const { results, unavailableChainIds } = await context.queryAll(statusesOf);
  const items = new Map(results.flat().map((item) => [item.name, item]));
  const chains = context.chains.all();
  return {
    updated_at: updatedAt(context.contentTime()),
    items: chains.flatMap(({ name }) => items.get(name) ?? []),
    unavailable_chains: unavailableChains(chains, unavailableChainIds),
  };
};

/** The items for a database's chains. */
async function statusesOf({ chains, ledger, network, bitcoin }: ChainDatabase): Promise<ChainStatusItem[]> {
  const rows = new Map((await ledger.chains()).map((row) => [row.chain_id, row]));
  const nodes = new Map((await network.nodes()).map((row) => [row.chain_id, row]));
  return Promise.all(
    chains.map(async (chain) => {
      const head = await (isBitcoinChain(chain) ? bitcoin : ledger).head(chain.id);
      return viewStatus(chain, head, rows.get(chain.id), nodes.get(chain.id));
    }),
  );
}

function viewStatus(
  chain: AnyChainConfig,
  head: { readonly number: number; readonly timestamp: number } | null,
  row: ChainRow | undefined,
  node: NodeRow | undefined,
): ChainStatusItem {
  return {
    name: chain.name,
    chain_id: String(chain.id),
    kind: chain.kind ?? "evm",
    is_testnet: chain.isTestnet,
    logo_url: chain.logoUrl ?? null,
    black_logo_url: chain.blackLogoUrl ?? null,
    white_logo_url: chain.whiteLogoUrl ?? null,
    is_appchain: false,
    synced_block_height: head?.number ?? null,
    synced_blocked_signed_at: head === null ? null : isoTimestamp(head.timestamp),
    has_data: head !== null,
    indexed_from: row?.indexed_from || null,
    latest_block_height: row?.latest_block ?? null,
    finalized_block_height: row?.finalized_block ?? null,
    native_accounting: row?.native_accounting ?? null,
    missing: row === undefined ? null : [...row.missing],
    offers: node?.offers ? [...node.offers] : null,
    batch_size: node?.batch_size ?? null,
    traces_by: node?.traces_by ?? null,
    node_seen_at: timeOf(node?.seen_at),
    blocks_behind: lag(row?.latest_block, head?.number),
    seconds_behind: lag(node?.latest_timestamp, head?.timestamp),
    paused_since: timeOf(node?.paused_at),
    building: node === undefined ? null : [...node.building],
    switched_off: node === undefined ? null : [...node.switched_off],
  };
}

const timeOf = (time: Date | null | undefined): string | null => (time ? updatedAt(time) : null);

/** The index's distance from the node; null if either is unknown. Never negative, as the node's head may be stale. */
const lag = (latest: number | null | undefined, indexed: number | null | undefined): number | null =>
  latest === null || latest === undefined || indexed === null || indexed === undefined ? null : Math.max(0, latest - indexed);
