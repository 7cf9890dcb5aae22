import { secondsOfDay } from "../../../lib/time.ts";
import type { Handlers } from "../../context.ts";
import { chainHead } from "../../views/chain.ts";
import { exchangeNamed } from "./exchanges.ts";
import { closedMoment } from "./moments.ts";
import { figuresOf, viewPool } from "./pool-figures.ts";

/**
 * An exchange's pools with a swap in the configured days up to the last closed hour, or to the end of a past day, by address.
 * @throws {RequestError} 404, an unknown exchange. @throws {notAcceptable} a day that is not indexed.
 */
export const getPools: Handlers["getPools"] = async ({ chain, dexName, date, page }, context) => {
  const exchange = exchangeNamed(context, chain, dexName);
  const moment = await closedMoment(context, chain, date);
  const head = { ...chainHead(chain, context.now()) };
  const pageOf = (total: number) => ({
    has_more: (page.number + 1) * page.size < total,
    page_number: page.number,
    page_size: page.size,
    total_count: total,
  });
  if (moment === null || moment.at === null) return { ...head, items: [], pagination: pageOf(0) };
  const since = moment.end - context.chains.get(chain.id).activePoolDays * secondsOfDay;
  const [key, [sinceBlock = null]] = await Promise.all([
    context.pools.exchangeKey(chain.id, exchange.factory, moment.at),
    context.tokens.heightsBefore(chain.id, [since]),
  ]);
  const { pools: shown, total } = await context.pools.activePools(
    chain.id,
    key,
    { block: sinceBlock, day: Math.floor(since / secondsOfDay) },
    { block: moment.at, day: Math.floor(moment.end / secondsOfDay) },
    page.size,
    page.number * page.size,
  );
  const pools = await context.pools.poolsAt(chain.id, [exchange.factory], shown, moment.at);
  const { figures, metadata } = await figuresOf(context, chain, pools, moment);
  return {
    ...head,
    items: figures.map((figure) => ({ ...viewPool(context, chain, exchange, figure, metadata), chain_name: chain.name })),
    pagination: pageOf(total),
  };
};
