import type { OtherFees, PriceItem } from "../../../../generated/responses.gen.ts";
import type { Handlers, ResolverContext } from "../../context.ts";
import { chainHead } from "../../views/chain.ts";
import { estimateGas } from "../gas-estimate.ts";
import type { GasEvent, GasSample } from "../gas-queries.ts";

/** Blocks that an estimate looks back on, and the most transactions of them. */
const blocksBack = 200;
const mostSamples = 2_000;

/** What a common kind of transaction costs at several speeds, by those of the latest blocks. */
export const getGasPrices: Handlers["getGasPrices"] = async ({ chain, eventType, quoteCurrency }, context) => {
  const { baseFee, items } = await estimate(context, chain.id, eventType);
  const { updated_at, chain_id, chain_name } = chainHead(chain, context.now());
  return {
    chain_id,
    chain_name,
    quote_currency: quoteCurrency,
    updated_at,
    event_type: eventType,
    gas_quote_rate: null,
    base_fee: baseFee,
    items,
  };
};

async function estimate({ ledger, network, anchor }: ResolverContext, chainId: number, event: GasEvent) {
  const tail = anchor === null ? null : await ledger.tail(chainId);
  if (anchor === null || tail === null) return { baseFee: null, items: [] };
  const first = Math.max(tail.number, anchor - blocksBack + 1);
  const [blocks, samples] = await Promise.all([
    network.gasBlocks(chainId, [first, anchor]),
    network.gasSamples(chainId, event, first, anchor, mostSamples),
  ]);
  const [oldest, newest] = [blocks[0], blocks.at(-1)];
  const baseFee = newest?.base_fee ?? null;
  const pace =
    oldest && newest && newest.number > oldest.number ? (newest.timestamp - oldest.timestamp) / (newest.number - oldest.number) : null;
  const otherFees = otherFeesOf(samples);
  const items = estimateGas(samples, baseFee, pace).map(
    ({ gasPrice, gasSpent, interval }): PriceItem => ({
      gas_price: gasPrice.toString(),
      gas_spent: String(gasSpent),
      gas_quote: null,
      other_fees: otherFees,
      total_gas_quote: null,
      pretty_total_gas_quote: null,
      interval,
    }),
  );
  return { baseFee, items };
}

/** A fee of the layer below is there where the samples paid one; its worth needs a price. */
const otherFeesOf = (samples: readonly GasSample[]): OtherFees | null =>
  samples.some(({ l1_fee: fee }) => fee !== null) ? { l1_gas_quote: null } : null;
