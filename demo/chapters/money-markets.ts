import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import type { Artifact } from "../contracts/artifact.ts";
import { encode, encodeApprove } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { unlimited } from "./exchange-types.ts";
import { createMarketActions, type StoryMarket } from "./market-actions.ts";
import type { Tokens } from "./tokens.ts";

/** Two lending protocols of cTokens, which differ in their events. */
export interface MoneyMarkets {
  readonly cTokens: MoneyMarketProtocol;
  readonly vTokens: MoneyMarketProtocol;
}

interface MoneyMarketProtocol {
  readonly registry: Address;
  readonly markets: readonly [StoryMarket, StoryMarket];
}

/** The parameters of a market; see its contract. */
interface MarketTerms {
  readonly name: string;
  readonly symbol: string;
  readonly variant: number;
  /** Null for the native token. */
  readonly asset: Address | null;
  readonly decimals: number;
  /** Dollars per whole unit of the asset. */
  readonly dollars: bigint;
  readonly payoutBlocks: bigint;
}

type MarketPair = readonly [collateral: MarketTerms, dollar: MarketTerms];

/** Annual rates times 10^18: two percent, plus twenty percent at full utilization. */
const rates = { baseRate: 2n * 10n ** 16n, multiplier: 2n * 10n ** 17n, reserveFactor: 10n ** 17n };
/** About the number of blocks that the story would have in a year. */
const blocksPerYear = 10_000n;
const liquidationDay = 33;

/**
 * Deploys two lending protocols, each with a collateral market and a dollar market. The trader and others supply and borrow; on most days one of
 * them acts, and on one day a debt that is no longer covered is liquidated.
 */
export const setUpMoneyMarkets = async (
  context: StoryContext,
  accounts: Accounts,
  { usd, gold }: Tokens,
): Promise<{ moneyMarkets: MoneyMarkets; dailyCalls: DailyCalls }> => {
  const dollar = (variant: number, prefix: string, payoutBlocks: bigint): MarketTerms => ({
    ...{ name: "Lent Harbor Dollar", symbol: `${prefix}HUSD`, variant, asset: usd.address, decimals: 6, dollars: 1n, payoutBlocks },
  });
  const ether = { name: "Lent Ether", symbol: "cETH", variant: 1, asset: null, decimals: 18, dollars: 2_500n, payoutBlocks: 0n };
  const metal = { name: "Lent Gold", symbol: "vGOLD", variant: 2, asset: gold.address, decimals: 18, dollars: 80n, payoutBlocks: 0n };
  const cTokens = await setUpProtocol(context, accounts, "cTokens", [ether, dollar(0, "c", 0n)]);
  const vTokens = await setUpProtocol(context, accounts, "vTokens", [metal, dollar(2, "v", 200n)]);
  return {
    moneyMarkets: { cTokens: cTokens.protocol, vTokens: vTokens.protocol },
    dailyCalls: async (day) => [...(await cTokens.dailyCalls(day)), ...(await vTokens.dailyCalls(day))],
  };
};

const deployMarket = async (context: StoryContext, deployer: Address, registry: Address, terms: MarketTerms): Promise<StoryMarket> => {
  const { name, symbol, variant, asset, decimals, dollars, payoutBlocks } = terms;
  // Fifty tokens of eight decimals for one whole unit of the asset.
  const initialExchangeRate = 2n * 10n ** BigInt(8 + decimals);
  const artifact: Artifact = asset === null ? context.artifacts.nativeMarket : context.artifacts.tokenMarket;
  const parameters = [registry, variant, { name, symbol, initialExchangeRate, ...rates, blocksPerYear, payoutBlocks }];
  return {
    address: await context.deploy(deployer, artifact, asset === null ? parameters : [...parameters, asset]),
    artifact,
    asset: asset ?? nativeTokenAddress,
    price: dollars * 10n ** BigInt(36 - decimals),
    initialExchangeRate,
  };
};

const setUpProtocol = async (
  context: StoryContext,
  { deployer, trader, collector, dealers }: Accounts,
  subject: string,
  pair: MarketPair,
): Promise<{ protocol: MoneyMarketProtocol; dailyCalls: DailyCalls }> => {
  const { marketRegistry } = context.artifacts;
  const registry = await context.deploy(deployer, marketRegistry);
  const collateral = await deployMarket(context, deployer, registry, pair[0]);
  const dollar = await deployMarket(context, deployer, registry, pair[1]);
  const markets = [collateral, dollar] as const;
  const random = context.createRandom(subject);
  const actions = createMarketActions(context, markets, deployer, random);
  const debtor = dealers[10] as Address;
  const people = [trader, collector, ...dealers.slice(6, 10)];
  const approve = (from: Address, { address, asset }: StoryMarket): Call[] =>
    asset === nativeTokenAddress ? [] : [{ from, to: asset, data: encodeApprove(address, unlimited), gas: 80_000 }];
  await context.mine([
    ...markets.map(
      ({ address, price }): Call => ({
        from: deployer,
        to: registry,
        data: encode(marketRegistry.abi, "list", [address, price]),
        gas: 200_000,
      }),
    ),
    ...[...people, debtor].flatMap((from) => markets.flatMap((market) => approve(from, market))),
    ...people.flatMap((owner) => markets.flatMap((market) => actions.mint(market, owner, [100, 200]))),
    ...actions.mint(collateral, debtor, [10, 20]),
    ...actions.borrow(dollar, trader, 15n),
    // An amount that the collateral does not cover at a higher price of the dollar.
    ...actions.borrow(dollar, debtor, 600n, 1n),
  ]);
  const randomAction = (): Call[] => {
    const [owner, market] = [random.pick(people), random.pick(markets)];
    switch (random.below(6)) {
      case 0:
        return actions.redeem(market, owner);
      case 1:
        return actions.borrow(market, owner, BigInt(random.between(20, 150)));
      case 2:
        return actions.repay(market, owner);
      case 3:
        return actions.transfer(market, owner, owner === trader ? collector : trader);
      default:
        return actions.mint(market, owner);
    }
  };
  return {
    protocol: { registry, markets },
    dailyCalls: (day) => (day === liquidationDay ? actions.liquidate(registry, dollar, collateral, debtor, collector) : randomAction()),
  };
};
