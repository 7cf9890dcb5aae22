import type { Handlers } from "../../context.ts";
import { getAllChainStatus } from "./get-all-chain-status.ts";
import { getAllChains } from "./get-all-chains.ts";

/** The operations that are about the configured chains. */
export const chainsHandlers = { getAllChains, getAllChainStatus } satisfies Partial<Handlers>;
