import type { Chain } from "../../../../generated/requests.gen.ts";
import type { Address } from "../../../lib/hex.ts";
import { notFound } from "../../../lib/request-error.ts";
import type { ResolverContext } from "../../context.ts";
import { isCollection } from "../../views/token.ts";

/** @throws {notFound} a contract that has never moved a token of a collection. */
export const requireCollection = async ({ tokens }: ResolverContext, chain: Chain, contract: Address): Promise<void> => {
  const metadata = (await tokens.metadata(chain.id, [contract])).get(contract);
  if (metadata?.standards.some(isCollection) !== true) throw notFound("Collection", contract, chain.name);
};
