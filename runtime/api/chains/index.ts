import type { Handlers } from "../context.ts";
import { getAddressActivity } from "./get-address-activity.ts";
import { getAllChainStatus } from "./get-all-chain-status.ts";
import { getAllChains } from "./get-all-chains.ts";
import { getGasPrices } from "./get-gas-prices.ts";

/** The resolvers of operations about chains. */
export const chainsHandlers = { getAddressActivity, getAllChains, getAllChainStatus, getGasPrices } satisfies Partial<Handlers>;
