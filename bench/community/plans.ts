import { zeroAddress } from "../../runtime/lib/hex.ts";
import { communityProtocols } from "../../runtime/protocols.ts";
import { assetOf, type Draw, type PlannedProtocol, type ProtocolPlan, planProtocol } from "./plan.ts";

const reserves = 200;

/** Shares are minted, or a wallet that has many of them transfers some. */
const minted = { from: ({ step, other }: Draw) => (step % 8 === 0 ? other : zeroAddress), to: ({ wallet }: Draw) => wallet } as const;

/** A price of a share that grows with time. */
const growing =
  (unit: bigint) =>
  ({ step }: Pick<Draw, "step">) =>
    unit + (unit / 10n ** 9n) * BigInt(step);

/** Vaults of ERC-4626. */
const vaults: ProtocolPlan = {
  markets: reserves,
  shared: ["factory"],
  pools: "vault",
  parameters: { from: minted.from, to: minted.to },
  results: {
    asset: ({ market }) => assetOf(market),
    "share_price.assets": growing(10n ** 36n),
  },
};

/** Vaults with a price for a whole share. */
const sharePools: ProtocolPlan = {
  ...vaults,
  shared: [],
  results: { asset: ({ market }) => assetOf(market), "share_price.assets": growing(10n ** 18n) },
};

/** Half of the vaults are of each version. */
const strategyVaults: ProtocolPlan = {
  markets: reserves / 2,
  shared: ["registry", "factory"],
  pools: "vault_v3",
  parameters: {
    "share_transfers.sender": minted.from,
    "share_transfers_v2.sender": minted.from,
    "share_transfers.receiver": minted.to,
    "share_transfers_v2.receiver": minted.to,
  },
  results: {
    asset: ({ market }) => assetOf(market),
    "share_price.assets": growing(10n ** 36n),
    "share_price_v2.assets": growing(10n ** 18n),
    decimals: () => 18n,
  },
};

const plans: Readonly<Record<string, ProtocolPlan>> = { protocol_06: vaults, protocol_09: sharePools, protocol_10: strategyVaults };

/** The declared protocols that have a plan. */
export const plannedProtocols = (only: readonly string[] = []): PlannedProtocol[] =>
  communityProtocols.flatMap((protocol) => {
    const plan = plans[protocol.id];
    return plan === undefined || (only.length > 0 && !only.includes(protocol.id)) ? [] : [planProtocol(protocol, plan)];
  });
