import type { Address } from "../../runtime/lib/hex.ts";
import { addressOf } from "../story/genesis.ts";
import type { ChapterContext, Scene } from "../story/types.ts";
import type { Garden } from "./garden-types.ts";
import { createPurse } from "./market-funds.ts";
import { type Bazaar, createPriceWalk, createSales } from "./market-sales.ts";
import { createSpecials, createStagedSales } from "./market-specials.ts";
import { createMarketDesk, type Market } from "./market-types.ts";
import type { People } from "./people.ts";

const salesPerDay = 6;

/** A marketplace on Seaport: on each day listings, bids and sales of plants; every few days bundles, editions in parts, and wash trades. */
export const openMarket = async (
  stage: ChapterContext,
  people: People,
  garden: Garden,
  editions: Address,
  weth: Address,
): Promise<{ market: Market; scene: Scene }> => {
  const { artifacts } = stage;
  const conduits = await stage.deploy(people.deployer, artifacts.conduitController);
  const seaport = await stage.deploy(people.deployer, artifacts.seaport, [conduits]);
  const market: Market = { seaport, feeCollector: addressOf("marketplace"), artist: people.gardener, weth };
  const random = stage.random("market");
  const bazaar: Bazaar = {
    stage,
    people,
    garden,
    market,
    random,
    desk: createMarketDesk(market),
    purse: createPurse(stage, market, random),
  };
  const prices = createPriceWalk(random);
  const sales = createSales(bazaar, prices);
  const specials = createSpecials(bazaar, editions, prices);
  const staged = createStagedSales(bazaar);
  await stage.play([
    ...specials.opening,
    // The approvals of the marketplace that remain at the end of the story.
    ...[people.collector, people.trader].flatMap((person) => bazaar.desk.approveTokens(person, garden.address)),
  ]);
  const scene: Scene = (day) => {
    prices.wander();
    return [
      ...sales.close(day),
      ...Array.from({ length: stage.scaled(salesPerDay) }, () => sales.sellOne(day)).flat(),
      ...(day % 6 === 2 ? specials.bundle(day) : []),
      ...(day % 12 === 5 ? specials.mixedBundle(day) : []),
      ...(day % 5 === 1 ? specials.offerEditions(day) : []),
      ...(day % 5 === 3 ? specials.buyRest(day) : []),
      ...(day % 10 === 7 ? sales.sweep(day) : []),
      ...(day % 15 === 9 ? sales.match(day) : []),
      ...staged.tradeOn(day),
      ...(day % 7 === 3 ? staged.washBackAndForth(day % 14 === 3) : []),
      ...(day % 10 === 4 ? staged.washWithOneself() : []),
    ];
  };
  return { market, scene };
};
