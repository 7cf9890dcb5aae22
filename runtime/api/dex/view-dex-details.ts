import type { DexReport } from "../../../generated/responses.gen.ts";
import type { ExchangeConfig } from "../../config/exchanges.ts";
import type { TransactionRow } from "../../domains/ledger/queries/transaction.ts";
import { poolsProjectionId } from "../../domains/pools/projection/index.ts";
import { actionCodes, familyCodes } from "../../domains/pools/projection/tables.ts";
import type { PoolActionRow } from "../../domains/pools/queries/transaction-action.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import { divide, parseDecimal } from "../../lib/decimal.ts";
import type { Address } from "../../lib/hex.ts";
import { includesBlock } from "../as-of-projection.ts";
import { tokenLogo } from "../chains/view-chain.ts";
import type { ResolverContext } from "../context.ts";
import { formatQuote, ratePerWholeToken, valueAtRate, viewNumber } from "../prices/view-quotes.ts";

const eventNames: Readonly<Record<number, string>> = {
  [actionCodes.swap]: "swap",
  [actionCodes.add]: "add_liquidity",
  [actionCodes.remove]: "remove_liquidity",
};
const ppmPerBasisPoint = 100;

/** A pool token, the change in the pool's balance, and the US dollar value of the token's smallest unit at that time. */
interface Side {
  readonly token: Address;
  readonly metadata: TokenMetadata | undefined;
  readonly change: bigint;
  readonly rate: Rate;
  readonly logo: string | null;
}

/** A transaction's actions in the configured exchanges' pools, in order; null until the pools projection includes its block. */
export async function viewDexDetails(context: ResolverContext, chainId: number, transaction: TransactionRow): Promise<DexReport[] | null> {
  const { checkpoints, pools, prices, tokens } = context;
  const chain = context.chains.get(chainId);
  const { exchanges } = chain;
  if (!includesBlock(checkpoints, poolsProjectionId, transaction.block_number)) return null;
  if (exchanges.length === 0) return [];
  const rows = await pools.actionsOfTransaction(
    chainId,
    transaction,
    exchanges.map(({ factory }) => factory),
  );
  const traded = [...new Set(rows.flatMap(({ token0, token1 }) => [token0, token1]))];
  const [metadata, rates] = await Promise.all([
    tokens.metadata(chainId, [...traded, ...rows.map(({ pool }) => pool)]),
    prices.ratesAtTimes(
      chainId,
      "USD",
      traded.map((asset) => ({ asset, time: transaction.timestamp })),
    ),
  ]);
  const rateOf = new Map(traded.map((token, position) => [token, rates[position] ?? null]));
  const sideOf = (token: Address, amountIn: string, amountOut: string): Side => ({
    token,
    metadata: metadata.get(token),
    change: BigInt(amountIn) - BigInt(amountOut),
    rate: rateOf.get(token) ?? null,
    logo: tokenLogo(chain, token),
  });
  return rows.map((row) =>
    viewReport(
      row,
      exchanges.find(({ factory }) => factory === row.factory),
      [sideOf(row.token0, row.amount0_in, row.amount0_out), sideOf(row.token1, row.amount1_in, row.amount1_out)],
      metadata.get(row.pool),
    ),
  );
}

const viewReport = (
  row: PoolActionRow,
  exchange: ExchangeConfig | undefined,
  sides: readonly [Side, Side],
  poolToken: TokenMetadata | undefined,
): DexReport => {
  const [first, second] = sides.map(viewSide) as [ReturnType<typeof viewSide>, ReturnType<typeof viewSide>];
  const feePpm = row.fee_ppm ?? exchange?.feePpm ?? null;
  // A concentrated-liquidity pool issues no LP token: each provider has its own positions.
  const lpToken = row.family === familyCodes["xy=k"] ? poolToken : undefined;
  return {
    log_offset: row.log_index,
    protocol_name: exchange?.label ?? exchange?.name ?? null,
    protocol_address: row.factory,
    protocol_logo_url: exchange?.logoUrl ?? null,
    aggregator_name: null,
    aggregator_address: null,
    version: exchange?.version ?? null,
    fork_version: exchange?.forkVersion ?? null,
    fork: exchange?.fork ?? null,
    event: eventNames[row.act] ?? "swap",
    pair_address: row.pool,
    pair_lp_fee_bps: feePpm === null ? null : feePpm / ppmPerBasisPoint,
    lp_token_address: lpToken === undefined ? null : row.pool,
    lp_token_ticker: lpToken?.symbol ?? null,
    lp_token_num_decimals: lpToken?.decimals ?? null,
    lp_token_name: lpToken?.name ?? null,
    lp_token_value: lpToken === undefined ? null : row.liquidity,
    exchange_rate_usd: priceOfBought(sides),
    token_0_address: first.address,
    token_0_ticker: first.ticker,
    token_0_num_decimals: first.decimals,
    token_0_name: first.name,
    token_1_address: second.address,
    token_1_ticker: second.ticker,
    token_1_num_decimals: second.decimals,
    token_1_name: second.name,
    token_0_amount: first.amount,
    token_0_quote_rate: first.quoteRate,
    token_0_usd_quote: first.quote,
    pretty_token_0_usd_quote: first.prettyQuote,
    token_0_logo_url: first.logo,
    token_1_amount: second.amount,
    token_1_quote_rate: second.quoteRate,
    token_1_usd_quote: second.quote,
    pretty_token_1_usd_quote: second.prettyQuote,
    token_1_logo_url: second.logo,
    sender: row.sender,
    recipient: row.to_address,
  };
};

const absolute = (value: bigint): string => String(value < 0n ? -value : value);

const viewSide = ({ token, metadata, change, rate, logo }: Side) => {
  const amount = absolute(change);
  const quote = valueAtRate(amount, rate);
  return {
    address: token,
    ticker: metadata?.symbol ?? null,
    decimals: metadata?.decimals ?? null,
    name: metadata?.name ?? null,
    logo,
    amount,
    quoteRate: viewNumber(ratePerWholeToken(rate, metadata?.decimals ?? null)),
    quote: viewNumber(quote),
    prettyQuote: formatQuote(quote, "USD"),
  };
};

/**
 * US dollars paid for one whole token that was bought; null unless one token was exchanged for the other, for example if liquidity changes or a loan is repaid
 * in the same token.
 */
const priceOfBought = (sides: readonly [Side, Side]): number | null => {
  const [paid, bought] = sides[0].change > 0n ? sides : [sides[1], sides[0]];
  if (paid.change <= 0n || bought.change >= 0n) return null;
  const value = valueAtRate(absolute(paid.change), paid.rate);
  const perSmallestUnit = value === null ? null : divide(value, parseDecimal(absolute(bought.change)));
  return viewNumber(ratePerWholeToken(perSmallestUnit, bought.metadata?.decimals ?? null));
};
