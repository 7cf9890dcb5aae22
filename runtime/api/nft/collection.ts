import type { Chain } from "../../../generated/requests.gen.ts";
import { supportsErc } from "../../domains/tokens/projection/standards.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { Address } from "../../lib/hex.ts";
import { notFound } from "../../lib/request-error.ts";
import type { ResolverContext } from "../context.ts";
import { spamAmong } from "../tokens/spam.ts";
import { isCollection } from "../tokens/view-token.ts";

/** A contract that has moved non-fungible tokens. */
export interface Collection {
  readonly metadata: TokenMetadata;
  /** By the classification rules. */
  readonly isSpam: boolean;
  /** The standard of its tokens; the first one of a contract with two. */
  readonly standard: number;
}

/** The metadata and the standard of a collection. @throws {notFound} for a contract that never moved non-fungible tokens. */
export async function requireCollection({ tokens }: Pick<ResolverContext, "tokens">, chain: Chain, address: Address) {
  const metadata = (await tokens.metadata(chain.id, [address])).get(address);
  const standard = metadata?.standards.find(isCollection);
  if (metadata === undefined || standard === undefined) throw notFound("Collection", address, chain.name);
  return { metadata, standard };
}

/** A collection with its classification. @throws {notFound} like `requireCollection`. */
export async function collectionOf(context: ResolverContext, chain: Chain, address: Address): Promise<Collection> {
  const known = await requireCollection(context, chain, address);
  return { ...known, isSpam: (await spamAmong(context, chain, [known.metadata])).has(address) };
}

/** The first fields of items about a collection's tokens. */
export const viewCollection = ({ address, name, symbol }: TokenMetadata) => ({
  contract_name: name,
  contract_ticker_symbol: symbol,
  contract_address: address,
});

/** `supports_erc` of a collection's item. */
export const standardsOf = (metadata: TokenMetadata, standard: number): string[] =>
  supportsErc(metadata.standards.length > 0 ? metadata.standards : [standard]);
