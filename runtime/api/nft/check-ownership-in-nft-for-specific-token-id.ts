import type { Handlers } from "../context.ts";
import { ownershipOf } from "./ownership.ts";

/** A collection's token, if a wallet holds it. */
export const checkOwnershipInNftForSpecificTokenId: Handlers["checkOwnershipInNftForSpecificTokenId"] = (request, context) =>
  ownershipOf(context, request, { tokenId: request.tokenId });
