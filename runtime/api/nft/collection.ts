import type { Chain } from "../../../generated/requests.gen.ts";
import { ercNamesOf } from "../../domains/tokens/projection/standards.ts";
import type { TokenMetadata } from "../../domains/tokens/queries/metadata.ts";
import type { Address } from "../../lib/hex.ts";
import { notFound } from "../../lib/request-error.ts";
import type { ResolverContext } from "../context.ts";
import { spamAmong } from "../tokens/spam.ts";
import { isNftStandard } from "../tokens/view-token.ts";

/** A contract that has emitted transfers of non-fungible tokens. */
export interface Collection {
  readonly metadata: TokenMetadata;
  /** By the classification rules. */
  readonly isSpam: boolean;
  /** The token standard; for a contract with two, the first. */
  readonly standard: number;
}

/** A collection's metadata and standard. @throws {RequestError} 404 if the contract has no NFT transfers. */
export async function requireCollection({ tokens }: Pick<ResolverContext, "tokens">, chain: Chain, address: Address) {
  const metadata = (await tokens.metadata(chain.id, [address])).get(address);
  const standard = metadata?.standards.find(isNftStandard);
  if (metadata === undefined || standard === undefined) throw notFound("Collection", address, chain.name);
  return { metadata, standard };
}

/** A collection with its classification. @throws {RequestError} 404 if the contract has no NFT transfers. */
export async function collectionOf(context: ResolverContext, chain: Chain, address: Address): Promise<Collection> {
  const collection = await requireCollection(context, chain, address);
  return { ...collection, isSpam: (await spamAmong(context, chain, [collection.metadata])).has(address) };
}

/** The contract fields at the start of every item for a collection's token. */
export const viewCollection = ({ address, name, symbol }: TokenMetadata) => ({
  contract_name: name,
  contract_ticker_symbol: symbol,
  contract_address: address,
});

/** A collection's `supports_erc`. */
export const standardsOf = (metadata: TokenMetadata, standard: number): string[] =>
  ercNamesOf(metadata.standards.length > 0 ? metadata.standards : [standard]);
