import type { Chain, Currency } from "../../../generated/requests.gen.ts";
import type { NativeBalanceItem } from "../../../generated/responses.gen.ts";
import type { Rate } from "../../domains/prices/queries/rates.ts";
import { standards } from "../../domains/tokens/projection/standards.ts";
import type { SourcedBalance } from "../../domains/tokens/queries/balance.ts";
import { type Address, nativeTokenAddress } from "../../lib/hex.ts";
import { resolveBlockHeight } from "../block-references.ts";
import { chainFields, nativeMetadata } from "../chains/view-chain.ts";
import type { Handlers, ResolverContext } from "../context.ts";
import { quoteOf } from "../prices/view-quotes.ts";
import { unknownNative } from "./native-balances.ts";

/** A wallet's native balance at the indexed head or after a block. @throws {RequestError} 400 if the height is not indexed. */
export const getNativeTokenBalance: Handlers["getNativeTokenBalance"] = async (request, context) => {
  const { chain, walletAddress, quoteCurrency, blockHeight } = request;
  const height = await resolveBlockHeight(context, chain, blockHeight);
  const { indexedFrom } = context;
  const [balance, rate] = await Promise.all([
    height === null ? null : balanceOf(context, chain, walletAddress, height),
    height === null ? null : nativeRate(context, chain, quoteCurrency, blockHeight === null ? null : height),
  ]);
  const native = nativeMetadata(context.chains.get(chain.id));
  const quoted = quoteOf(balance?.balance ?? null, rate, native.contract_decimals, quoteCurrency);
  const items: NativeBalanceItem[] =
    balance === null || height === null
      ? []
      : [
          {
            ...native,
            block_height: height,
            balance: balance.balance,
            quote_rate: quoted.rate,
            quote: quoted.quote,
            pretty_quote: quoted.pretty,
            balance_source: balance.balance === null ? null : balance.source,
          },
        ];
  return {
    address: walletAddress,
    ...chainFields(chain, context.contentTime()),
    quote_currency: quoteCurrency,
    items,
    indexed_from: indexedFrom,
  };
};

/** The indexed balance, or the node's if the index has never seen the address: it may have been funded before the first indexed block. */
async function balanceOf(context: ResolverContext, chain: Chain, wallet: Address, height: number): Promise<SourcedBalance> {
  const [stored, hasNative] = await Promise.all([
    context.tokens.balanceAt(chain.id, wallet, nativeTokenAddress, standards.native, height),
    context.ledger.hasNativeBalances(chain.id),
  ]);
  if (!hasNative) return unknownNative;
  if (stored !== null) return stored;
  const block = await context.ledger.blockByNumber(chain.id, height);
  context.markVolatile();
  return { balance: block === null ? null : await context.untouchedBalances.read(chain.id, wallet, block), source: "node" };
}

/** The native token's rate at the time of a block; without a block, the current rate. */
async function nativeRate(context: ResolverContext, chain: Chain, currency: Currency, height: number | null): Promise<Rate> {
  const block = height === null ? null : await context.ledger.blockByNumber(chain.id, height);
  const time = block?.timestamp ?? context.contentTime().getTime() / 1000;
  return (await context.prices.ratesAt(chain.id, currency, [nativeTokenAddress], time))(nativeTokenAddress);
}
