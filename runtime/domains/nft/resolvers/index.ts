import type { Handlers } from "../../context.ts";
import { getAttributesForTraitInCollection } from "./get-attributes-for-trait-in-collection.ts";
import { getCollectionTraitsSummary } from "./get-collection-traits-summary.ts";
import { getTraitsForCollection } from "./get-traits-for-collection.ts";

/** The operations that are about non-fungible tokens. */
export const nftHandlers = {
  getAttributesForTraitInCollection,
  getCollectionTraitsSummary,
  getTraitsForCollection,
} satisfies Partial<Handlers>;
