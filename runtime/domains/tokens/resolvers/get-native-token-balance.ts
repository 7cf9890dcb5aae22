import type { NativeBalanceItem } from "../../../../generated/responses.gen.ts";
import { nativeTokenAddress } from "../../../lib/hex.ts";
import { heightOf } from "../../at.ts";
import type { Handlers } from "../../context.ts";
import { chainHead, nativeMetadata } from "../../views/chain.ts";
import { standards } from "../standards.ts";
import { knowsNativeBalances, unknownNative } from "./native-balances.ts";

/** A wallet's native balance at the indexed head or after a block. @throws {notAcceptable} a height that is not indexed. */
export const getNativeTokenBalance: Handlers["getNativeTokenBalance"] = async (request, context) => {
  const { chain, walletAddress, quoteCurrency, blockHeight } = request;
  const height = await heightOf(context, chain, blockHeight);
  const [stored, knowsNative, indexedFrom] = await Promise.all([
    height === null ? null : context.tokens.balanceAt(chain.id, walletAddress, nativeTokenAddress, standards.native, height),
    knowsNativeBalances(context, chain),
    context.ledger.indexedFrom(chain.id),
  ]);
  const row = knowsNative ? stored : unknownNative;
  const items: NativeBalanceItem[] =
    row === null || height === null
      ? []
      : [
          {
            ...nativeMetadata(context.chains.get(chain.id)),
            block_height: height,
            balance: row.balance,
            quote_rate: null,
            quote: null,
            pretty_quote: null,
            balance_source: row.balance === null ? null : row.source,
          },
        ];
  return { address: walletAddress, ...chainHead(chain, context.now()), quote_currency: quoteCurrency, items, indexed_from: indexedFrom };
};
