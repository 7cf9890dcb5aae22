import type { Chain } from "../../../generated/requests.gen.ts";
import type { PoolRow } from "../../domains/pools/queries/pool.ts";
import type { Address } from "../../lib/hex.ts";
import { notFound } from "../../lib/request-error.ts";
import type { ResolverContext } from "../context.ts";

/** An exchange's pools that other factories have also announced, with the tokens that the exchange's factory announced. */
export async function sharedPoolsOf(context: ResolverContext, chain: Chain, factory: Address, block: number): Promise<PoolRow[]> {
  const { sharedPools } = await context.pools.exchangeKey(chain.id, factory, block);
  return sharedPools.length === 0 ? [] : context.pools.poolsAt(chain.id, [factory], sharedPools, block);
}

/** The shared pools with a token. */
export const sharedPoolsWith = async (
  context: ResolverContext,
  chain: Chain,
  factory: Address,
  token: Address,
  block: number,
): Promise<PoolRow[]> =>
  (await sharedPoolsOf(context, chain, factory, block)).filter(({ token0, token1 }) => token0 === token || token1 === token);

/** Checks that a token without results exists. @throws {RequestError} 404 if no token events of the contract are indexed. */
export async function requireToken(context: ResolverContext, chain: Chain, token: Address): Promise<void> {
  const metadata = (await context.tokens.metadata(chain.id, [token])).get(token);
  if (metadata === undefined || metadata.standards.length === 0) throw notFound("Token", token, chain.name);
}
