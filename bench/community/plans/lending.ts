import { zeroAddress } from "../../../runtime/lib/hex.ts";
import { assetOf, keeper, type ProtocolPlan } from "../plan.ts";
import { growingValue, marketCount, minted } from "./values.ts";

/** Markets with cTokens. */
export const tokenMarkets: ProtocolPlan = {
  marketCount,
  sharedKinds: ["comptroller"],
  poolKind: "market",
  parameters: {
    ...minted,
    cToken: ({ contractOf }) => contractOf("market"),
    borrowIndex: growingValue(10n ** 18n),
    cTokenCollateral: ({ contractOf }) => contractOf("market"),
  },
  results: { asset: ({ market }) => assetOf(market) },
};

/** Reserves of one version 3 pool. */
export const lendingPools: ProtocolPlan = {
  marketCount,
  sharedKinds: ["pool", "configurator", "configurator_v2"],
  poolKind: "a_token",
  omittedTables: ["reserves_v2", "reserve_drops", "borrowing_v2", "stable_debt_changes"],
  weights: { reserves: 0, borrowing: 0 },
  parameters: {
    asset: ({ market }) => assetOf(market),
    reserve: ({ market }) => assetOf(market),
    collateral: ({ market }) => assetOf(market),
    debt: ({ market }) => assetOf((market + 1) % marketCount),
    aToken: ({ contractOf }) => contractOf("a_token"),
    stableDebtToken: () => zeroAddress,
    variableDebtToken: ({ contractOf }) => contractOf("variable_debt_token"),
    caller: ({ other }) => other,
    account: ({ wallet }) => wallet,
    giver: () => keeper,
    receiver: ({ wallet }) => wallet,
    balanceIncrease: () => 0n,
    referralCode: () => 0n,
    liquidityIndex: growingValue(10n ** 27n),
    variableBorrowIndex: growingValue(10n ** 27n),
    atIndex: growingValue(10n ** 27n),
  },
  results: { pool: ({ contractOf }) => contractOf("pool") },
};
