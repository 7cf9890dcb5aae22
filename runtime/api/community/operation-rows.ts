import { communityObjects, communityOperations } from "../../../generated/community-items.gen.ts";
import type { Chain } from "../../../generated/requests.gen.ts";
import type { Pagination } from "../../../generated/responses.gen.ts";
import type { Protocol } from "../../declarations/protocol.ts";
import type { OperationRow } from "../../domains/community/queries/operation-queries.ts";
import { type Address, type Hex, nativeTokenAddress } from "../../lib/hex.ts";
import { NotIndexedError, RequestError } from "../../lib/request-error.ts";
import { tokenLogo, updatedAt } from "../chains/view-chain.ts";
import type { ResolverContext } from "../context.ts";
import { withNativeNames } from "./native-names.ts";
import { type LogoOf, type ObjectFields, viewItem } from "./view-item.ts";

/** The parameters that all community endpoints share. */
export interface CommunityRequest {
  readonly protocol: string;
  /** The requested chain, or the first one on which the protocol has contracts; null if there is none. */
  readonly chain: Chain | null;
  readonly page: { readonly number: number; readonly size: number };
}

/** The parameters that only some operations have. */
export interface OperationScope {
  readonly operation: string;
  readonly wallet?: Hex;
  readonly pool?: Hex | null;
  /** The item object of an added protocol's operation; the template's by default. */
  readonly items?: { readonly object: string; readonly objects: ObjectFields };
}

/** The fields that all responses share, the items of the page, and its position. */
export interface CommunityPage<Item> {
  readonly protocol: string;
  readonly chain_id: number;
  readonly chain_name: string;
  readonly quote_currency: string;
  readonly updated_at: string;
  readonly items: readonly Item[];
  readonly pagination: Pagination;
}

/**
 * One page of a protocol's operation, as of the list's anchor; one extra row determines `has_more`.
 * @throws {RequestError} 404 if the protocol has no contracts on the chain, or no pool with the requested address.
 */
export async function pageOfOperation<Item>(
  context: ResolverContext,
  { protocol: id, chain, page }: CommunityRequest,
  { operation, wallet, pool = null, items: { object, objects } = itemsOf(operation) }: OperationScope,
): Promise<CommunityPage<Item>> {
  const protocol = context.community.protocol(id);
  const query = protocol?.operations[operation];
  if (protocol === undefined || query === undefined) throw new TypeError(`Protocol ${id} has no operation ${operation}.`);
  const served = requireChain(context, protocol, chain);
  const rows =
    context.anchor === null
      ? []
      : await context.community.rowsOf(
          { protocol: id, operation, query },
          {
            chain: served.id,
            wallet: wallet ?? null,
            pool,
            as_of_block: context.anchor,
            limit: page.size + 1,
            offset: page.number * page.size,
          },
        );
  if (pool !== null && rows.length === 0 && page.number === 0 && !(await isPool(context, protocol, { operation, pool, chain: served })))
    throw new NotIndexedError(`Pool ${pool} of ${id} not found in the index of ${served.name}.`);
  const logoOf = logosOf(context, served.id);
  const nameNative = nativeNamesOf(context, served.id);
  return {
    protocol: id,
    chain_id: served.id,
    chain_name: served.name,
    quote_currency: "USD",
    updated_at: updatedAt(context.contentTime()),
    items: rows.slice(0, page.size).map((row) => viewItem(object, nameNative(row), logoOf, objects) as Item),
    pagination: { has_more: rows.length > page.size, page_number: page.number, page_size: page.size, total_count: null },
  };
}

/**
 * Whether a protocol's market data includes a pool. An operation may have no rows for an existing pool, for example if the wallet holds none of its
 * tokens.
 */
async function isPool(
  context: ResolverContext,
  protocol: Protocol,
  { operation, pool, chain }: { readonly operation: string; readonly pool: Hex; readonly chain: Chain },
): Promise<boolean> {
  const query = operation === "market_data" ? undefined : protocol.operations.market_data;
  if (query === undefined || context.anchor === null) return false;
  const rows = await context.community.rowsOf(
    { protocol: protocol.id, operation: "market_data", query },
    { chain: chain.id, wallet: null, pool, as_of_block: context.anchor, limit: 1, offset: 0 },
  );
  return rows.length > 0;
}

const itemsOf = (operation: string): NonNullable<OperationScope["items"]> => ({
  object: communityOperations[operation]?.item ?? "",
  objects: communityObjects,
});

/** The logos of a chain's tokens; a Bitcoin chain has none. */
function logosOf({ chains }: ResolverContext, chainId: number): LogoOf {
  if (chains.bitcoin(chainId) !== undefined) return () => null;
  const config = chains.get(chainId);
  return (token) => (token === nativeTokenAddress ? (config.nativeToken.logoUrl ?? null) : tokenLogo(config, token as Address));
}

/** Adds the native token's name to rows; Bitcoin's native token has no address. */
function nativeNamesOf({ chains }: ResolverContext, chainId: number): (row: OperationRow) => OperationRow {
  if (chains.bitcoin(chainId) !== undefined) return (row) => row;
  const { nativeToken } = chains.get(chainId);
  return (row) => withNativeNames(row, nativeToken);
}

/** The chain of a request. @throws {RequestError} 404 if the protocol has no contracts on it, or on any configured chain. */
function requireChain(context: ResolverContext, protocol: Protocol, chain: Chain | null): Chain {
  if (chain === null) {
    const problem =
      protocol.chainKind === "bitcoin" ? "requires a Bitcoin chain, and none is configured" : "has no contracts on any configured chain";
    throw new RequestError(404, `Protocol ${protocol.id} ${problem}.`);
  }
  if (!context.community.isAvailableOn(protocol.id, chain.id))
    throw new RequestError(
      404,
      `Protocol ${protocol.id} has no contracts on ${chain.name}; an operator can add them to the setting community of the chain in ashlar.yaml.`,
    );
  return chain;
}
