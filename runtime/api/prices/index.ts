import type { Handlers } from "../context.ts";
import { getTokenPrices } from "./get-token-prices.ts";

/** The resolvers of operations about prices. */
export const pricesHandlers = { getTokenPrices } satisfies Partial<Handlers>;
