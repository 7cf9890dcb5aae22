import type { Chain, Currency } from "../../../../generated/requests.gen.ts";
import type { NativeBalanceItem } from "../../../../generated/responses.gen.ts";
import { nativeTokenAddress } from "../../../lib/hex.ts";
import { heightOf } from "../../at.ts";
import type { Handlers, ResolverContext } from "../../context.ts";
import type { Rate } from "../../prices/price-queries.ts";
import { chainHead, nativeMetadata } from "../../views/chain.ts";
import { quoteOf } from "../../views/quotes.ts";
import { standards } from "../standards.ts";
import { knowsNativeBalances, unknownNative } from "./native-balances.ts";

/** A wallet's native balance at the indexed head or after a block. @throws {notAcceptable} a height that is not indexed. */
export const getNativeTokenBalance: Handlers["getNativeTokenBalance"] = async (request, context) => {
  const { chain, walletAddress, quoteCurrency, blockHeight } = request;
  const height = await heightOf(context, chain, blockHeight);
  const [stored, rate, knowsNative, indexedFrom] = await Promise.all([
    height === null ? null : context.tokens.balanceAt(chain.id, walletAddress, nativeTokenAddress, standards.native, height),
    height === null ? null : nativeRate(context, chain, quoteCurrency, blockHeight === null ? null : height),
    knowsNativeBalances(context, chain),
    context.ledger.indexedFrom(chain.id),
  ]);
  const row = knowsNative ? stored : unknownNative;
  const native = nativeMetadata(context.chains.get(chain.id));
  const quoted = quoteOf(row?.balance ?? null, rate, native.contract_decimals, quoteCurrency);
  const items: NativeBalanceItem[] =
    row === null || height === null
      ? []
      : [
          {
            ...native,
            block_height: height,
            balance: row.balance,
            quote_rate: quoted.rate,
            quote: quoted.quote,
            pretty_quote: quoted.pretty,
            balance_source: row.balance === null ? null : row.source,
          },
        ];
  return { address: walletAddress, ...chainHead(chain, context.now()), quote_currency: quoteCurrency, items, indexed_from: indexedFrom };
};

/** What the native token was worth at the time of a block, or is worth now where none was asked for. */
async function nativeRate(context: ResolverContext, chain: Chain, currency: Currency, height: number | null): Promise<Rate> {
  const block = height === null ? null : await context.ledger.blockByNumber(chain.id, height);
  const time = block?.timestamp ?? context.now().getTime() / 1000;
  return (await context.prices.ratesAt(chain.id, currency, [nativeTokenAddress], time))(nativeTokenAddress);
}
