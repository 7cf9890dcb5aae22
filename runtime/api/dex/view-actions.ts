import type { Chain, Currency } from "../../../generated/requests.gen.ts";
import type { ExchangeTransaction, Pagination, PoolToken } from "../../../generated/responses.gen.ts";
import { pairValue, swapValue } from "../../domains/dex/queries/valuation.ts";
import type { TransactionRow } from "../../domains/ledger/queries/transaction.ts";
import { actionCodes } from "../../domains/pools/projection/tables.ts";
import type { ActionPage, ActionRow } from "../../domains/pools/queries/action-source.ts";
import type { PoolRow } from "../../domains/pools/queries/pool.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { Address } from "../../lib/hex.ts";
import { transactionExplorers } from "../chains/view-chain.ts";
import type { ResolverContext } from "../context.ts";
import { viewTransactionFields } from "../ledger/view-transaction.ts";
import { formatQuote, ratePerWholeToken, viewNumber } from "../prices/view-quotes.ts";
import { viewContract } from "../tokens/view-token.ts";
import { type ActionRates, ratesOfActions } from "./action-rates.ts";

const actionNames: Readonly<Record<number, string>> = {
  [actionCodes.swap]: "SWAP",
  [actionCodes.add]: "ADD_LIQUIDITY",
  [actionCodes.remove]: "REMOVE_LIQUIDITY",
};

/** What a list of actions is about. */
export interface ActionList {
  readonly factory: Address;
  /** The requested account, token or pool; null for an entire exchange. */
  readonly address: Address | null;
  readonly quoteCurrency: Currency;
}

/** A page of actions as items, each with its transaction. `rows` has one extra row if there are more. */
export async function viewActions(
  context: ResolverContext,
  chain: Chain,
  { factory, address, quoteCurrency }: ActionList,
  { rows, total }: ActionPage,
  page: { readonly number: number; readonly size: number },
): Promise<{ items: ExchangeTransaction[]; pagination: Pagination }> {
  const shown = rows.slice(0, page.size);
  const [transactions, pools] = await Promise.all([
    context.ledger.transactionsAt(chain.id, distinctTransactions(shown)),
    context.pools.poolsAt(chain.id, [factory], [...new Set(shown.map((row) => row.pool))], context.anchor ?? -1),
  ]);
  const metadata = await context.tokens.metadata(
    chain.id,
    pools.flatMap(({ token0, token1 }) => [token0, token1]),
  );
  const transactionAt = new Map(transactions.map((row) => [keyOf(row), row]));
  const poolAt = new Map(pools.map((row) => [row.pool, row]));
  const actions = shown.flatMap((row) => {
    const [transaction, pool] = [transactionAt.get(keyOf(row)), poolAt.get(row.pool)];
    return transaction === undefined || pool === undefined ? [] : [{ row, transaction, pool }];
  });
  const ratesOf = await ratesOfActions(context, chain, quoteCurrency, actions);
  const items = actions.map((action) =>
    viewAction(context, chain, { ...action, metadata, address, quoteCurrency, rates: ratesOf(action.pool, action.transaction.timestamp) }),
  );
  return {
    items,
    pagination: { has_more: rows.length > page.size, page_number: page.number, page_size: page.size, total_count: total },
  };
}

const keyOf = (position: { readonly block_number: number; readonly transaction_index: number }): string =>
  `${position.block_number}:${position.transaction_index}`;

const distinctTransactions = (rows: readonly ActionRow[]): ActionRow[] => [...new Map(rows.map((row) => [keyOf(row), row])).values()];

interface ActionView {
  readonly row: ActionRow;
  readonly transaction: TransactionRow;
  readonly pool: PoolRow;
  readonly metadata: ReadonlyMap<Address, TokenMetadata>;
  readonly address: Address | null;
  readonly quoteCurrency: Currency;
  readonly rates: ActionRates;
}

/** An action as an item, with values at the prices at the time of its block. */
function viewAction(context: ResolverContext, chain: Chain, view: ActionView): ExchangeTransaction {
  const { row, transaction, pool, metadata, address, quoteCurrency, rates } = view;
  const chainConfig = context.chains.get(chain.id);
  const fields = viewTransactionFields(chainConfig, transaction, new Map(), { rate: rates.native, currency: quoteCurrency });
  const isSwap = row.act === actionCodes.swap;
  const isAdd = row.act === actionCodes.add;
  const total = isSwap
    ? swapValue(row, rates.pair)
    : pairValue(isAdd ? [row.amount0_in, row.amount1_in] : [row.amount0_out, row.amount1_out], rates.pair);
  const rateOf = (side: 0 | 1) =>
    viewNumber(ratePerWholeToken(rates.pair[side], metadata.get(side === 0 ? pool.token0 : pool.token1)?.decimals ?? null));
  const tokenOf = (token: Address): PoolToken => viewContract(chainConfig, token, standards.erc20, metadata.get(token));
  return {
    block_signed_at: fields.block_signed_at,
    tx_hash: transaction.hash,
    act: actionNames[row.act] ?? "SWAP",
    address,
    explorers: transactionExplorers(chainConfig, transaction.hash),
    amount_0: isSwap ? null : isAdd ? row.amount0_in : row.amount0_out,
    amount_1: isSwap ? null : isAdd ? row.amount1_in : row.amount1_out,
    amount_0_in: isSwap ? row.amount0_in : null,
    amount_0_out: isSwap ? row.amount0_out : null,
    amount_1_in: isSwap ? row.amount1_in : null,
    amount_1_out: isSwap ? row.amount1_out : null,
    to_address: row.to_address,
    from_address: transaction.from_address,
    sender_address: row.sender,
    total_quote: viewNumber(total),
    pretty_total_quote: formatQuote(total, quoteCurrency),
    value: fields.value,
    value_quote: fields.value_quote,
    pretty_value_quote: fields.pretty_value_quote,
    gas_metadata: fields.gas_metadata,
    gas_offered: fields.gas_offered,
    gas_spent: fields.gas_spent,
    gas_price: fields.gas_price,
    fees_paid: fields.fees_paid,
    gas_quote: fields.gas_quote,
    pretty_gas_quote: fields.pretty_gas_quote,
    gas_quote_rate: fields.gas_quote_rate,
    quote_currency: quoteCurrency,
    token_0: tokenOf(pool.token0),
    token_1: tokenOf(pool.token1),
    token_0_quote_rate: rateOf(0),
    token_1_quote_rate: rateOf(1),
  };
}
