import { zeroAddress } from "../../../runtime/lib/hex.ts";
import { assetOf, type Draw, eventOf, type ProtocolPlan, type ReadDraw } from "../plan.ts";
import { growingValue, minted } from "./values.ts";

const poolCount = 500;

const pair = ({ market }: Pick<Draw, "market">) => [0, 1].map((position) => coinOf(market, position));

/** Neighbouring pools have a token in common. */
const coinOf = (market: number, position: number) => assetOf((market + position) % poolCount);

const shareTransfer = eventOf("Transfer(address indexed from, address indexed to, uint256 value)");

/** Two-token pools in one vault. A pool's id starts with its address. */
export const vaultPools: ProtocolPlan = {
  marketCount: poolCount,
  sharedKinds: ["vault"],
  poolKind: "pool",
  weights: { pools: 0, token_lists: 0, managed_changes: 0 },
  undeclaredEvents: [{ name: "share_transfers", contract: "pool", event: shareTransfer }],
  parameters: {
    ...minted,
    poolId: ({ contractOf }) => contractOf("pool").padEnd(66, "0"),
    poolAddress: ({ contractOf }) => contractOf("pool"),
    specialization: () => 0n,
    tokens: pair,
    tokenIn: ({ market }) => coinOf(market, 0),
    tokenOut: ({ market }) => coinOf(market, 1),
  },
  results: { tokens: pair, rate: growingValue(10n ** 18n) },
};

/** Half of the pools are registered with their token, and a quarter are early pools, whose functions take signed indices. */
const isRegistered = ({ market }: ReadDraw) => market % 2 === 0;
const isEarly = ({ market }: ReadDraw) => market % 4 === 1;
const hasCoin = (draw: ReadDraw) => Number(draw.arguments.i) < 2;
const amountIn = ({ step }: ReadDraw) => 10n ** 24n + BigInt(step);

/** Pools of two coins, each with a separate pool token. */
export const stablePools: ProtocolPlan = {
  marketCount: poolCount,
  sharedKinds: ["registry"],
  undeclaredKinds: ["lp_token"],
  poolKind: "pool",
  variants: { single_removals: 2 },
  weights: { registrations: 0, exchanges: 6, additions: 2, share_transfers: 3 },
  undeclaredEvents: [{ name: "share_transfers", contract: "lp_token", event: shareTransfer }],
  parameters: {
    ...minted,
    pool: ({ contractOf }) => contractOf("pool"),
    sold_id: () => 0n,
    bought_id: () => 1n,
    token_id: () => 1n,
  },
  results: {
    "registered_token.token": (draw) => (isRegistered(draw) ? draw.contractOf("lp_token") : zeroAddress),
    "lp_token.token": ({ contractOf }) => contractOf("lp_token"),
    "pool_token.token": () => null,
    "coin.coin": (draw) => (hasCoin(draw) && !isEarly(draw) ? coinOf(draw.market, Number(draw.arguments.i)) : null),
    "early_coin.coin": (draw) => (hasCoin(draw) && isEarly(draw) ? coinOf(draw.market, Number(draw.arguments.i)) : null),
    "balance.amount": (draw) => (hasCoin(draw) && !isEarly(draw) ? amountIn(draw) : null),
    "early_balance.amount": (draw) => (hasCoin(draw) && isEarly(draw) ? amountIn(draw) : null),
    "virtual_price.price": growingValue(10n ** 18n),
  },
};

/** The tokens of a constant-product pool are in ascending order. */
const sortedPair = (draw: Pick<Draw, "market">) => pair(draw).sort();

/** Constant-product pools of one factory. */
export const exchangePools: ProtocolPlan = {
  marketCount: poolCount,
  sharedKinds: ["factory"],
  undeclaredKinds: ["pair"],
  poolKind: "pair",
  weights: { announcements: 0, share_transfers: 3, reserves: 6, deposits: 2, swaps: 5 },
  // A deposit emits the first three events, in this order.
  undeclaredEvents: [
    { name: "share_transfers", contract: "pair", event: shareTransfer },
    { name: "reserves", contract: "pair", event: eventOf("Sync(uint112 reserve0, uint112 reserve1)") },
    { name: "deposits", contract: "pair", event: eventOf("Mint(address indexed sender, uint256 amount0, uint256 amount1)") },
    {
      name: "swaps",
      contract: "pair",
      event: eventOf(
        "Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)",
      ),
    },
  ],
  parameters: {
    ...minted,
    token0: (draw) => sortedPair(draw)[0] ?? zeroAddress,
    token1: (draw) => sortedPair(draw)[1] ?? zeroAddress,
    pair: ({ contractOf }) => contractOf("pair"),
    amount1In: () => 0n,
    amount0Out: () => 0n,
  },
};
