import type { Chain } from "../../../../generated/requests.gen.ts";
import { features } from "../../../indexer/chain-row.ts";
import { nativeTokenAddress } from "../../../lib/hex.ts";
import type { ResolverContext } from "../../context.ts";
import type { HoldingRow } from "../balance-queries.ts";
import { standards } from "../standards.ts";

/** A native balance that is not known, as a row. */
export const unknownNative: HoldingRow = {
  token: nativeTokenAddress,
  standard: standards.native,
  balance: null,
  source: "events",
  transfer_block: null,
  transfer_timestamp: null,
};

/** Whether a chain's native balances are not in its index: then nobody's is known. */
export async function lacksNativeBalances({ ledger }: ResolverContext, chain: Chain): Promise<boolean> {
  const row = (await ledger.chains()).find(({ chain_id }) => chain_id === chain.id);
  return row?.missing.includes(features.nativeBalances) ?? false;
}
