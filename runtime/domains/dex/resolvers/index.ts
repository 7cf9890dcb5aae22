import type { Handlers } from "../../context.ts";
import { getDexForPoolAddress } from "./get-dex-for-pool-address.ts";
import { getHealthData } from "./get-health-data.ts";
import { getSupportedDexes } from "./get-supported-dexes.ts";
import { getTransactionsForDex } from "./get-transactions-for-dex.ts";

/** The operations that are about exchanges. */
export const dexHandlers = { getDexForPoolAddress, getHealthData, getSupportedDexes, getTransactionsForDex } satisfies Partial<Handlers>;
