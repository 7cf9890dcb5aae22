import type { Chain } from "../../../../generated/requests.gen.ts";
import type { GasSummary, TransactionSummary, TransactionsSummary } from "../../../../generated/responses.gen.ts";
import type { Address } from "../../../lib/hex.ts";
import { isoTimestamp } from "../../../lib/time.ts";
import type { Handlers, ResolverContext } from "../../context.ts";
import { chainHead, nativeMetadata } from "../../views/chain.ts";
import type { TransactionRow } from "../transaction-queries.ts";

/** What `with-gas` adds to the cost: one credit. */
const creditOfGas = 100;

/** How many transactions a wallet has, its first and its last, and on request what it paid. */
export const getTransactionSummary: Handlers["getTransactionSummary"] = async ({ chain, walletAddress, withGas }, context) => {
  if (withGas) context.counted.extraHundredths = creditOfGas;
  return {
    updated_at: chainHead(chain, context.now()).updated_at,
    address: walletAddress,
    chain_id: chain.id,
    chain_name: chain.name,
    items: await summaryOf(context, chain, walletAddress, withGas),
    indexed_from: await context.ledger.indexedFrom(chain.id),
  };
};

async function summaryOf(context: ResolverContext, chain: Chain, address: Address, withGas: boolean): Promise<TransactionsSummary[]> {
  const { anchor, ledger } = context;
  const count = anchor === null ? 0 : await ledger.transactionCountOfAddress(chain.id, address, anchor);
  if (anchor === null || count === 0) return [];
  const at = async (ordinal: number) => (await ledger.transactionsOfAddress(chain.id, address, ordinal, ordinal))[0];
  const [earliest, latest, gas] = await Promise.all([at(0), at(count - 1), withGas ? gasSummary(context, chain, address, anchor) : null]);
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
        tx_detail_link: context.link(`/v1/${chain.name}/transaction_v2/${row.hash}/`),
      };

async function gasSummary(context: ResolverContext, chain: Chain, address: Address, block: number): Promise<GasSummary> {
  const fees = await context.ledger.feesPaidBy(chain.id, address, block);
  return {
    total_sent_count: fees?.sentCount ?? null,
    total_fees_paid: fees?.feesPaid ?? null,
    total_gas_quote: null,
    pretty_total_gas_quote: null,
    average_gas_quote_per_tx: null,
    pretty_average_gas_quote_per_tx: null,
    gas_metadata: nativeMetadata(context.chains.get(chain.id)),
  };
}
