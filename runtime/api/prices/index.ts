import type { Handlers } from "../context.ts";
import { getTokenPrices } from "./get-token-prices.ts";

/** The operations that prices answer. */
export const pricesHandlers = { getTokenPrices } satisfies Partial<Handlers>;
