import type { Chain, Currency } from "../../../generated/requests.gen.ts";
import type { GasSummary, TransactionSummary, TransactionsSummary } from "../../../generated/responses.gen.ts";
import type { TransactionRow } from "../../domains/ledger/queries/transaction.ts";
import { add, type Decimal, decimal, divide } from "../../lib/decimal.ts";
import { type Address, nativeTokenAddress } from "../../lib/hex.ts";
import { isoTimestamp, secondsPerDay } from "../../lib/time.ts";
import { chainFields, nativeMetadata } from "../chains/view-chain.ts";
import type { Handlers, ResolverContext } from "../context.ts";
import { formatQuote, valueAtRate, viewNumber } from "../prices/view-quotes.ts";

/** The surcharge for `with-gas` in hundredths of a credit. */
const gasSurchargeHundredths = 100;

/** The number of a wallet's transactions, the first and the last one, and on request the fees paid. */
export const getTransactionSummary: Handlers["getTransactionSummary"] = async (request, context) => {
  const { chain, walletAddress, withGas, quoteCurrency } = request;
  if (withGas) context.chargedQuantities.extraHundredths = gasSurchargeHundredths;
  return {
    updated_at: chainFields(chain, context.contentTime()).updated_at,
    address: walletAddress,
    chain_id: chain.id,
    chain_name: chain.name,
    items: await summaryOf(context, chain, walletAddress, withGas ? quoteCurrency : null),
    indexed_from: context.indexedFrom,
  };
};

/** The summary as the only item; no items for a wallet without transactions. Includes the fees paid if `currency` is not null. */
async function summaryOf(
  context: ResolverContext,
  chain: Chain,
  address: Address,
  currency: Currency | null,
): Promise<TransactionsSummary[]> {
  const { anchor, ledger } = context;
  const count = anchor === null ? 0 : await ledger.transactionCountOfAddress(chain.id, address, anchor);
  if (anchor === null || count === 0) return [];
  const transactionAt = async (ordinal: number) => (await ledger.transactionsOfAddress(chain.id, address, ordinal, ordinal))[0];
  const [earliest, latest, gas] = await Promise.all([
    transactionAt(0),
    transactionAt(count - 1),
    currency === null ? null : gasSummary(context, chain, address, anchor, currency),
  ]);
  return [
    {
      total_count: count,
      earliest_transaction: viewSummary(context, chain, earliest),
      latest_transaction: viewSummary(context, chain, latest),
      gas_summary: gas,
    },
  ];
}

const viewSummary = (context: ResolverContext, chain: Chain, row: TransactionRow | undefined): TransactionSummary | null =>
  row === undefined
    ? null
    : {
        block_signed_at: isoTimestamp(row.timestamp),
        tx_hash: row.hash,
        tx_detail_link: context.absoluteUrl(`/v1/${chain.name}/transaction_v2/${row.hash}/`),
      };

/** The fees that a wallet paid, quoted at each day's close, because a wallet may have sent hundreds of thousands of transactions. */
async function gasSummary(
  context: ResolverContext,
  chain: Chain,
  address: Address,
  block: number,
  currency: Currency,
): Promise<GasSummary> {
  const [fees, total] = await Promise.all([
    context.ledger.feesPaidBy(chain.id, address, block),
    valueOfFees(context, chain, address, block, currency),
  ]);
  const average = total === null || fees.sentCount === 0 ? null : divide(total, decimal(BigInt(fees.sentCount)));
  return {
    total_sent_count: fees.sentCount,
    total_fees_paid: fees.feesPaid,
    total_gas_quote: viewNumber(total),
    pretty_total_gas_quote: formatQuote(total, currency),
    average_gas_quote_per_tx: viewNumber(average),
    pretty_average_gas_quote_per_tx: formatQuote(average, currency),
    gas_metadata: nativeMetadata(context.chains.get(chain.id)),
  };
}

/** The value of the fees paid; null if the rate is unknown for a day with fees or, without fees, for today. */
async function valueOfFees(
  { ledger, prices, contentTime }: ResolverContext,
  chain: Chain,
  address: Address,
  block: number,
  currency: Currency,
) {
  const paid = await ledger.dailyFeesPaidBy(chain.id, address, block);
  const days = paid.length > 0 ? paid : [{ day: Math.floor(contentTime().getTime() / 1000 / secondsPerDay), feesPaid: "0" }];
  const rateOf = await prices.ratesOfDays(
    chain.id,
    currency,
    [nativeTokenAddress],
    days.map(({ day }) => day),
  );
  return days.reduce<Decimal | null>((sum, { day, feesPaid }) => {
    const value = valueAtRate(feesPaid, rateOf(nativeTokenAddress, day));
    return sum === null || value === null ? null : add(sum, value);
  }, decimal(0n));
}
