import type { EndpointCase, Variant } from "../support/endpoint-case.ts";
import { type Market, type MarketPool, type MarketSize, timeOfBlock, traderOf } from "./market.ts";

const secondsPerDay = 86_400;

const variant = (name: string, paths: readonly string[]): Variant => ({ name, paths: paths.map((path) => `bench/xy=k/${path}`) });

/** The requests to the exchange endpoints: first pages of 100 items, for busy and quiet pools, tokens and wallets. */
export function endpointCases(market: Market, size: MarketSize): readonly EndpointCase[] {
  const { whale, bot } = market;
  const { first, second, providers, days, ofPools, ofTokens, ofExchanges } = variantsOf(market, size);
  const exchangeName = first.name;
  return [
    {
      row: 40,
      name: "pools of an exchange",
      variants: [
        ...ofExchanges((name) => `${name}/pools/`),
        variant(
          "past days",
          days.map((day) => `${exchangeName}/pools/?date=${day.toISOString().slice(0, 10)}`),
        ),
      ],
    },
    { row: 41, name: "one pool", variants: ofPools(({ address }) => `${exchangeName}/pools/address/${address}/`) },
    { row: 42, name: "pools of a token", variants: ofTokens((token) => `tokens/address/${token}/pools/page/0/`) },
    {
      row: 43,
      name: "pools of a wallet",
      variants: [
        variant("200 pools", [`address/${whale}/pools/page/0/`]),
        variant("200 pools, one exchange", [`address/${whale}/pools/page/0/?dex-name=${second.name}`]),
        variant(
          "few pools",
          providers.map((wallet) => `address/${wallet}/pools/page/0/`),
        ),
      ],
    },
    {
      row: 44,
      name: "liquidity of an account",
      variants: [first, second].map(({ name }) => variant(name, [`${name}/address/${whale}/balances/`])),
    },
    { row: 45, name: "tokens of an exchange", variants: ofExchanges((name) => `${name}/tokens/`) },
    { row: 46, name: "supported exchanges", variants: [{ name: "all", paths: ["xy=k/supported_dexes/"] }] },
    { row: 47, name: "exchange of a pool", variants: ofPools(({ address }) => `address/${address}/dex_name/`) },
    { row: 48, name: "pools of a token, with time series", variants: ofTokens((token) => `${exchangeName}/tokens/address/${token}/`) },
    { row: 49, name: "one token", variants: ofTokens((token) => `${exchangeName}/tokens/address/${token}/view/`) },
    {
      row: 50,
      name: "transactions of an account",
      variants: [
        variant("bot", [`${exchangeName}/address/${bot}/transactions/`]),
        variant("router", [`${exchangeName}/address/${first.router}/transactions/`]),
        variant(
          "ordinary wallets",
          [0, 7, 100].map(traderOf).map((wallet) => `${exchangeName}/address/${wallet}/transactions/`),
        ),
      ],
    },
    { row: 51, name: "transactions of a token", variants: ofTokens((token) => `${exchangeName}/tokens/address/${token}/transactions/`) },
    {
      row: 52,
      name: "transactions of an exchange",
      variants: [
        ...ofExchanges((name) => `${name}/transactions/`),
        variant("page 1,000", [`${exchangeName}/transactions/?page-number=${Math.min(1_000, Math.floor(size.swaps / 1_000))}`]),
      ],
    },
    {
      row: 53,
      name: "transactions of a pool",
      variants: ofPools(({ address }) => `${exchangeName}/pools/address/${address}/transactions/`),
    },
    { row: 54, name: "time series of an exchange", variants: ofExchanges((name) => `${name}/ecosystem/`) },
    { row: 55, name: "indexing status of an exchange", variants: ofExchanges((name) => `${name}/health/`) },
  ];
}

/** Selects the pools, tokens, wallets and days to request, and returns functions that build path variants. */
function variantsOf(market: Market, size: MarketSize) {
  const { exchanges, tokens, whale } = market;
  const constant = exchanges.filter(({ family }) => family === "xy=k");
  const [first, second] = constant;
  if (first === undefined || second === undefined) throw new Error("Expected a market with at least two constant-product exchanges");
  const pools = market.pools.filter(({ exchange }) => exchange === first);
  const [busy, average, quiet] = [0, 0.1, 0.5].map((share) => fivePools(pools, share));
  const [hub, dollars] = tokens.map(({ address }) => address);
  const busyTokens = (busy ?? []).concat(average ?? []).flatMap((pool) => pool.tokens.map(({ address }) => address));
  const ordinary = [...new Set(busyTokens)].filter((address) => !tokens.slice(0, 4).some((token) => token.address === address));
  const providers = [...new Set(market.pools.slice(0, 40).map(({ provider }) => provider))]
    .filter((wallet) => wallet !== whale)
    .slice(0, 5);
  const days = [1, 10, 30].map(
    (count) => new Date((timeOfBlock(market, size.until, market.blockCount - 1) - count * secondsPerDay) * 1000),
  );

  const ofPools = (path: (pool: MarketPool) => string): Variant[] => [
    variant("busy pools", (busy ?? []).map(path)),
    variant("average pools", (average ?? []).map(path)),
    variant("quiet pools", (quiet ?? []).map(path)),
  ];
  const ofTokens = (path: (token: string) => string): Variant[] => [
    variant("wrapped native token", [path(hub ?? "")]),
    variant("stablecoin", [path(dollars ?? "")]),
    variant("ordinary tokens", ordinary.map(path)),
  ];
  const ofExchanges = (path: (exchange: string) => string): Variant[] => constant.map(({ name }) => variant(name, [path(name)]));
  return { first, second, providers, days, ofPools, ofTokens, ofExchanges };
}

/** Returns five consecutive pools of the list (busiest first), starting at a fraction of its length. */
const fivePools = (pools: readonly MarketPool[], share: number): readonly MarketPool[] => {
  const start = Math.floor(pools.length * share);
  return pools.slice(start, start + 5);
};
