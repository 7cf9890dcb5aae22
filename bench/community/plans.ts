import { parseEvent } from "../../runtime/declarations/abi/signature.ts";
import type { EventSignature } from "../../runtime/declarations/protocol.ts";
import { zeroAddress } from "../../runtime/lib/hex.ts";
import { communityProtocols } from "../../runtime/protocols.ts";
import { assetOf, type Draw, type PlannedProtocol, type ProtocolPlan, planProtocol } from "./plan.ts";

const reserves = 200;

const eventOf = (text: string): EventSignature => {
  const parsed = parseEvent(text);
  if (!parsed.ok) throw new TypeError(parsed.problem);
  return parsed.value;
};

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

/** Markets of cTokens. */
const markets: ProtocolPlan = {
  markets: reserves,
  shared: ["comptroller"],
  pools: "market",
  parameters: {
    ...minted,
    cToken: ({ contractOf }) => contractOf("market"),
    borrowIndex: growing(10n ** 18n),
    cTokenCollateral: ({ contractOf }) => contractOf("market"),
  },
  results: { asset: ({ market }) => assetOf(market) },
};

/** Reserves of one pool, version 3. */
const lending: ProtocolPlan = {
  markets: reserves,
  shared: ["pool", "configurator", "configurator_v2"],
  pools: "a_token",
  without: ["reserves_v2", "reserve_drops", "borrowing_v2", "stable_debt_changes"],
  weights: { reserves: 0, borrowing: 0 },
  parameters: {
    asset: ({ market }) => assetOf(market),
    reserve: ({ market }) => assetOf(market),
    collateral: ({ market }) => assetOf(market),
    debt: ({ market }) => assetOf(market + 1),
    aToken: ({ contractOf }) => contractOf("a_token"),
    stableDebtToken: () => zeroAddress,
    variableDebtToken: ({ contractOf }) => contractOf("variable_debt_token"),
    caller: ({ other }) => other,
    account: ({ wallet }) => wallet,
    giver: ({ other }) => other,
    receiver: ({ wallet }) => wallet,
    balanceIncrease: () => 0n,
    referralCode: () => 0n,
    liquidityIndex: growing(10n ** 27n),
    variableBorrowIndex: growing(10n ** 27n),
    atIndex: growing(10n ** 27n),
  },
  results: { pool: ({ contractOf }) => contractOf("pool") },
};

const poolCount = 500;
const poolIdOf = ({ contractOf }: Pick<Draw, "contractOf">): string => contractOf("pool").padEnd(66, "0");
const pair = ({ market }: Pick<Draw, "market">) => [assetOf(market), assetOf((market + 1) % poolCount)];

/** Pools of two tokens in one vault. */
const vaultPools: ProtocolPlan = {
  markets: poolCount,
  shared: ["vault"],
  pools: "pool",
  weights: { pools: 0, token_lists: 0, managed_changes: 0 },
  further: [{ contract: "pool", event: eventOf("Transfer(address indexed from, address indexed to, uint256 value)") }],
  parameters: {
    ...minted,
    poolId: poolIdOf,
    poolAddress: ({ contractOf }) => contractOf("pool"),
    specialization: () => 0n,
    tokens: pair,
    tokenIn: ({ market }) => assetOf(market),
    tokenOut: ({ market }) => assetOf((market + 1) % poolCount),
  },
  results: { tokens: pair, rate: growing(10n ** 18n) },
};

const plans: Readonly<Record<string, ProtocolPlan>> = {
  protocol_01: lending,
  protocol_02: vaultPools,
  protocol_04: markets,
  protocol_06: vaults,
  protocol_08: markets,
  protocol_09: sharePools,
  protocol_10: strategyVaults,
};

/** The declared protocols that have a plan. */
export const plannedProtocols = (only: readonly string[] = []): PlannedProtocol[] =>
  communityProtocols.flatMap((protocol) => {
    const plan = plans[protocol.id];
    return plan === undefined || (only.length > 0 && !only.includes(protocol.id)) ? [] : [planProtocol(protocol, plan)];
  });
