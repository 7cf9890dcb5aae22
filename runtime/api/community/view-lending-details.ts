import type { LendingReport } from "../../../generated/responses.gen.ts";
import type { LendingQuery } from "../../declarations/protocol.ts";
import { type LendingEvent, lendingEventOf } from "../../domains/community/queries/lending-event.ts";
import type { TransactionRow } from "../../domains/ledger/queries/transaction.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import { multiply, parseDecimal, shift } from "../../lib/decimal.ts";
import { type Address, nativeTokenAddress } from "../../lib/hex.ts";
import { includesBlock } from "../as-of-projection.ts";
import { nativeMetadata, tokenLogo } from "../chains/view-chain.ts";
import type { ResolverContext } from "../context.ts";
import { formatQuote, ratePerWholeToken, valueAtRate, viewNumber } from "../prices/view-quotes.ts";

/** A lending event's token, at the time of the transaction. */
interface Token {
  readonly address: Address;
  readonly name: string | null;
  readonly symbol: string | null;
  readonly decimals: number | null;
  readonly logo: string | null;
  /** US dollars per smallest unit. */
  readonly rate: Rate;
}

type TokenOf = (address: Address | null) => Token | null;

/**
 * A transaction's lending events in the chain's protocols, in log order. Null until all protocols' tables include its block, or if the events of
 * one protocol cannot be determined, because a list without them would look complete.
 */
export async function viewLendingDetails(
  context: ResolverContext,
  chainId: number,
  transaction: TransactionRow,
): Promise<LendingReport[] | null> {
  const { checkpoints, community } = context;
  const protocols = community.lendingProtocolsOn(chainId);
  const { block_number: block, transaction_index } = transaction;
  if (!protocols.every(({ projection }) => includesBlock(checkpoints, projection, block))) return null;
  const found = await Promise.all(
    protocols.map((protocol) =>
      community.lendingEventsOf(protocol, { chain: chainId, block, transaction_index }, (row) => ({
        query: protocol.query,
        event: lendingEventOf(row),
      })),
    ),
  );
  const determined = found.filter((events) => events !== null);
  if (determined.length < found.length) return null;
  const events = determined.flat().sort((left, right) => left.event.log_offset - right.event.log_offset);
  const tokenOf = await tokensOf(
    context,
    chainId,
    transaction.timestamp,
    events.map(({ event }) => event),
  );
  return events.map(({ query, event }) => viewEvent(query, event, tokenOf));
}

/** The events' tokens, with metadata and rates. */
async function tokensOf(context: ResolverContext, chainId: number, time: number, events: readonly LendingEvent[]): Promise<TokenOf> {
  const named = events.flatMap((event) => [
    event.lp_token_address,
    event.lp_underlying_address,
    event.token_address_in,
    event.token_address_out,
  ]);
  const addresses = [...new Set(named)].filter((address) => address !== null);
  if (addresses.length === 0) return () => null;
  const chain = context.chains.get(chainId);
  const [metadata, rates] = await Promise.all([
    context.tokens.metadata(chainId, addresses),
    context.prices.ratesAtTimes(
      chainId,
      "USD",
      addresses.map((asset) => ({ asset, time })),
    ),
  ]);
  const native = nativeMetadata(chain);
  const tokens = addresses.map((address, position): [Address, Token] => {
    const rate = rates[position] ?? null;
    if (address === nativeTokenAddress) {
      const { contract_name: name, contract_ticker_symbol: symbol, contract_decimals: decimals, logo_url: logo } = native;
      return [address, { address, name, symbol, decimals, logo, rate }];
    }
    const { name = null, symbol = null, decimals = null } = metadata.get(address) ?? {};
    return [address, { address, name, symbol, decimals, logo: tokenLogo(chain, address), rate }];
  });
  const byAddress = new Map(tokens);
  return (address) => (address === null ? null : (byAddress.get(address) ?? null));
}

const viewEvent = ({ label, version, fork, forkVersion }: LendingQuery, event: LendingEvent, tokenOf: TokenOf): LendingReport => {
  const [paidIn, paidOut] = [tokenOf(event.token_address_in), tokenOf(event.token_address_out)];
  const [amountIn, amountOut] = [viewAmount(event.token_amount_in, paidIn), viewAmount(event.token_amount_out, paidOut)];
  const lpToken = tokenOf(event.lp_token_address);
  const underlying = tokenOf(event.lp_underlying_address);
  const exchangeRate = event.exchange_rate === null ? null : parseDecimal(event.exchange_rate);
  const underlyingPrice = priceOf(underlying);
  return {
    log_offset: event.log_offset,
    protocol_name: label,
    protocol_address: event.protocol_address,
    protocol_logo_url: null,
    version: event.version ?? version,
    fork,
    fork_version: forkVersion,
    event: event.event,
    lp_token_name: lpToken?.name ?? null,
    lp_decimals: lpToken?.decimals ?? null,
    lp_ticker_symbol: lpToken?.symbol ?? null,
    lp_token_address: event.lp_token_address,
    lp_token_amount: wholeAmount(event.lp_token_amount, lpToken),
    lp_token_price: viewNumber(priceOf(lpToken)),
    exchange_rate: viewNumber(exchangeRate),
    exchange_rate_usd: viewNumber(exchangeRate === null || underlyingPrice === null ? null : multiply(exchangeRate, underlyingPrice)),
    token_name_in: paidIn?.name ?? null,
    token_decimal_in: paidIn?.decimals ?? null,
    token_address_in: event.token_address_in,
    token_ticker_in: paidIn?.symbol ?? null,
    token_logo_in: paidIn?.logo ?? null,
    token_amount_in: amountIn.whole,
    amount_in_usd: amountIn.value,
    pretty_amount_in_usd: amountIn.pretty,
    token_name_out: paidOut?.name ?? null,
    token_decimals_out: paidOut?.decimals ?? null,
    token_address_out: event.token_address_out,
    token_ticker_out: paidOut?.symbol ?? null,
    token_logo_out: paidOut?.logo ?? null,
    token_amount_out: amountOut.whole,
    amount_out_usd: amountOut.value,
    pretty_amount_out_usd: amountOut.pretty,
    borrow_rate_mode: event.borrow_rate_mode,
    borrow_rate: event.borrow_rate === null ? null : viewNumber(parseDecimal(event.borrow_rate)),
    on_behalf_of: event.on_behalf_of,
    liquidator: event.liquidator,
    user: event.user,
  };
};

const priceOf = (token: Token | null) => (token === null ? null : ratePerWholeToken(token.rate, token.decimals));

/** An amount in whole tokens; null if it or the token's decimals are unknown. */
const wholeAmount = (amount: string | null, token: Token | null): number | null =>
  amount === null || token?.decimals === undefined || token.decimals === null
    ? null
    : viewNumber(shift(parseDecimal(amount), -token.decimals));

const viewAmount = (amount: string | null, token: Token | null) => {
  const value = valueAtRate(amount, token?.rate ?? null);
  return { whole: wholeAmount(amount, token), value: viewNumber(value), pretty: formatQuote(value, "USD") };
};
