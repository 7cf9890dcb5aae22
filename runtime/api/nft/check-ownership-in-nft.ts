import { traitFilter } from "../../domains/nft-metadata/queries/trait-filter.ts";
import type { Handlers } from "../context.ts";
import { ownershipOf } from "./ownership.ts";

/** A wallet's tokens in a collection: all of them, or those with the requested traits. */
export const checkOwnershipInNft: Handlers["checkOwnershipInNft"] = (request, context) =>
  ownershipOf(context, request, { filter: traitFilter(request.traitsFilter, request.valuesFilter) });
