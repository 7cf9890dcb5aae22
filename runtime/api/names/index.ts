import type { Handlers } from "../context.ts";
import { getResolvedAddress } from "./get-resolved-address.ts";

/** The resolvers of operations about names. */
export const namesHandlers = { getResolvedAddress } satisfies Partial<Handlers>;
