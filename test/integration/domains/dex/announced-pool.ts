import { pad } from "viem";
import { pairCreated } from "../../../../runtime/events/pools.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../support/chain.ts";
import { emit, readContract, type TestExchange, uniswapV2 } from "../pools/support.ts";

/** Emits a pool's creation event from another factory, with other tokens, before the exchange creates the pool. Returns its address. */
export const announceEarly = async (
  chain: TestChain,
  exchange: TestExchange,
  tokens: readonly [Address, Address],
  announced: readonly [Address, Address],
): Promise<Address> => {
  const pair = await readContract<Address>(chain, uniswapV2.factory(), exchange.factory, "createPair", tokens, await chain.head());
  const pool = pair.toLowerCase() as Address;
  const [first, second] = announced;
  await emit(chain, `0x${"1d".repeat(20)}`, [pairCreated.topic0, pad(first), pad(second)], `${pad(pool)}${pad("0x1").slice(2)}`);
  return pool;
};
