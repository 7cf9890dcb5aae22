import { assetOf, type ProtocolPlan } from "../plan.ts";
import { growingValue, marketCount, minted } from "./values.ts";

/** ERC-4626 vaults. */
export const vaults: ProtocolPlan = {
  marketCount,
  sharedKinds: ["factory"],
  poolKind: "vault",
  parameters: { from: minted.from, to: minted.to },
  results: {
    asset: ({ market }) => assetOf(market),
    "share_price.assets": growingValue(10n ** 36n),
  },
};

/** Vaults that report the price of a whole share. */
export const sharePools: ProtocolPlan = {
  ...vaults,
  sharedKinds: [],
  results: { asset: ({ market }) => assetOf(market), "share_price.assets": growingValue(10n ** 18n) },
};

/** Each market has a vault of each version. */
export const strategyVaults: ProtocolPlan = {
  marketCount: marketCount / 2,
  sharedKinds: ["registry", "factory"],
  poolKind: "vault_v3",
  parameters: {
    "share_transfers.sender": minted.from,
    "share_transfers_v2.sender": minted.from,
    "share_transfers.receiver": minted.to,
    "share_transfers_v2.receiver": minted.to,
  },
  results: {
    asset: ({ market }) => assetOf(market),
    "share_price.assets": growingValue(10n ** 36n),
    "share_price_v2.assets": growingValue(10n ** 18n),
    decimals: () => 18n,
  },
};
