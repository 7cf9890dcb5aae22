import type { Currency } from "../../../generated/requests.gen.ts";
import type { PriceItem } from "../../../generated/responses.gen.ts";
import { estimateGasPrices, type GasPriceEstimate } from "../../domains/chains/estimate-gas-prices.ts";
import type { GasEvent } from "../../domains/chains/queries/gas.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import { add, decimal, multiply } from "../../lib/decimal.ts";
import { nativeTokenAddress } from "../../lib/hex.ts";
import type { Handlers, ResolverContext } from "../context.ts";
import { formatQuote, ratePerWholeToken, viewNumber } from "../prices/view-quotes.ts";
import { chainFields } from "./view-chain.ts";

/** Max blocks and max transactions that an estimate covers. */
const blocksBack = 200;
const maxSamples = 2_000;

/** Gas price estimates at several speeds, from transactions in the latest blocks. */
export const getGasPrices: Handlers["getGasPrices"] = async ({ chain, eventType, quoteCurrency }, context) => {
  const now = context.contentTime().getTime() / 1000;
  const [{ baseFee, estimates }, rateOf] = await Promise.all([
    estimate(context, chain.id, eventType),
    context.prices.ratesAt(chain.id, quoteCurrency, [nativeTokenAddress], now),
  ]);
  const rate = rateOf(nativeTokenAddress);
  const { updated_at, chain_id, chain_name } = chainFields(chain, context.contentTime());
  return {
    chain_id,
    chain_name,
    quote_currency: quoteCurrency,
    updated_at,
    event_type: eventType,
    gas_quote_rate: viewNumber(ratePerWholeToken(rate, context.chains.get(chain.id).nativeToken.decimals)),
    base_fee: baseFee,
    items: estimates.map((gasEstimate) => viewEstimate(gasEstimate, rate, quoteCurrency)),
  };
};

async function estimate({ ledger, network, anchor }: ResolverContext, chainId: number, event: GasEvent) {
  const firstBlock = anchor === null ? null : await ledger.firstBlock(chainId);
  if (anchor === null || firstBlock === null) return { baseFee: null, estimates: [] };
  const first = Math.max(firstBlock.number, anchor - blocksBack + 1);
  const [blocks, samples] = await Promise.all([
    network.gasBlocks(chainId, [first, anchor]),
    network.gasSamples(chainId, event, first, anchor, maxSamples),
  ]);
  const [oldest, newest] = [blocks[0], blocks.at(-1)];
  const baseFee = newest?.base_fee ?? null;
  const secondsPerBlock =
    oldest && newest && newest.number > oldest.number ? (newest.timestamp - oldest.timestamp) / (newest.number - oldest.number) : null;
  return { baseFee, estimates: estimateGasPrices(samples, baseFee, secondsPerBlock) };
}

function viewEstimate({ gasPrice, gasSpent, l1Fee, interval }: GasPriceEstimate, rate: Rate, currency: Currency): PriceItem {
  const quoteOfWei = (wei: bigint) => (rate === null ? null : multiply(decimal(wei), rate));
  const gas = quoteOfWei(gasPrice * BigInt(gasSpent));
  const l1 = l1Fee === null ? null : quoteOfWei(l1Fee);
  const total = gas !== null && l1 !== null ? add(gas, l1) : gas;
  return {
    gas_price: gasPrice.toString(),
    gas_spent: String(gasSpent),
    gas_quote: viewNumber(gas),
    other_fees: l1Fee === null ? null : { l1_gas_quote: viewNumber(l1) },
    total_gas_quote: viewNumber(total),
    pretty_total_gas_quote: formatQuote(total, currency),
    interval,
  };
}
