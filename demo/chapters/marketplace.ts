import type { Address } from "../../runtime/lib/hex.ts";
import { addressOf } from "../story/genesis.ts";
import type { DailyCalls, StoryContext } from "../story/types.ts";
import type { Accounts } from "./accounts.ts";
import { createBuyerFunds } from "./buyer-funds.ts";
import type { Garden } from "./garden-types.ts";
import { createOrderBuilder, type Marketplace } from "./marketplace-orders.ts";
import { createPlantSales, createPriceWalk, type MarketplaceContext } from "./plant-sales.ts";
import { createSpecialSales, createStagedSales } from "./special-sales.ts";

const salesPerDay = 6;

/** Deploys Seaport. Each day has listings, bids and sales of plants; every few days there are bundles, editions sold in parts, and wash trades. */
export const setUpMarketplace = async (
  context: StoryContext,
  accounts: Accounts,
  garden: Garden,
  editions: Address,
  weth: Address,
): Promise<{ marketplace: Marketplace; dailyCalls: DailyCalls }> => {
  const { artifacts } = context;
  const conduits = await context.deploy(accounts.deployer, artifacts.conduitController);
  const seaport = await context.deploy(accounts.deployer, artifacts.seaport, [conduits]);
  const marketplace: Marketplace = { seaport, feeCollector: addressOf("marketplace"), artist: accounts.gardener, weth };
  const random = context.createRandom("market");
  const prices = createPriceWalk(random);
  const orders = createOrderBuilder(marketplace);
  const funds = createBuyerFunds(context, marketplace, random);
  const marketplaceContext: MarketplaceContext = { story: context, accounts, garden, marketplace, orders, funds, prices, random };
  const sales = createPlantSales(marketplaceContext);
  const specials = createSpecialSales(marketplaceContext, editions);
  const stagedSales = createStagedSales(marketplaceContext);
  await context.mine([
    ...specials.setup,
    // These approvals for the marketplace remain until the end of the story.
    ...[accounts.collector, accounts.trader].flatMap((account) => orders.approveTokens(account, garden.address)),
  ]);
  const dailyCalls: DailyCalls = (day) => {
    prices.nextDay();
    return [
      ...sales.closeDue(day),
      ...Array.from({ length: context.scaled(salesPerDay) }, () => sales.sellOne(day)).flat(),
      ...(day % 6 === 2 ? specials.bundle(day) : []),
      ...(day % 12 === 5 ? specials.mixedBundle(day) : []),
      ...(day % 5 === 1 ? specials.offerEditions(day) : []),
      ...(day % 5 === 3 ? specials.buyRest(day) : []),
      ...(day % 10 === 7 ? sales.sweep(day) : []),
      ...(day % 15 === 9 ? sales.match(day) : []),
      ...stagedSales.resell(day),
      ...(day % 7 === 3 ? stagedSales.washBackAndForth(day % 14 === 3) : []),
      ...(day % 10 === 4 ? stagedSales.washWithSelf() : []),
    ];
  };
  return { marketplace, dailyCalls };
};
