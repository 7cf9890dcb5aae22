import type { DecodedBlock } from "../../../events/decoded-block.ts";
import type { ChainFacts, Row } from "../../../indexer/projection.ts";
import type { State } from "../../../indexer/state/state.ts";
import { type Address, nativeTokenAddress, zeroAddress } from "../../../lib/hex.ts";
import type { BalanceKey } from "./base-reads.ts";
import type { TokenMovement } from "./movements.ts";
import { standards } from "./standards.ts";

/** The balances that a movement changes: on each side the token's balance and, for a collection, also the id's balance. */
export const balanceKeysOf = (movement: TokenMovement, chain: ChainFacts): BalanceKey[] => {
  const sending = movement.from === null ? [] : keysOf(movement, movement.from, chain);
  const receiver = receiverOf(movement);
  return receiver === null ? sending : sending.concat(keysOf(movement, receiver, chain));
};

/**
 * The owner whose balance increases. An ERC-20 Transfer from the zero address to the zero address mints to it, as the first liquidity of each
 * Uniswap V2 pool does (MINIMUM_LIQUIDITY).
 */
export const receiverOf = ({ standard, from, to }: TokenMovement): Address | null =>
  standard === standards.erc20 && from === null && to === null ? zeroAddress : to;

/** The balances of one side of a movement. */
export const keysOf = ({ token, standard, tokenId, isHybrid }: TokenMovement, owner: Address, chain: ChainFacts): BalanceKey[] => {
  if (standard === standards.native && chain.nativeAccounting !== "traces") return [];
  if (tokenId === null) return [{ owner, token, standard, tokenId }];
  const key = { owner, token, standard, tokenId };
  return [{ ...key, tokenId: null, isHybrid }, key];
};

/** The native balances that the node reported with a block, with accounting by state. */
export const reportedBalances = ({ block }: DecodedBlock) =>
  (block.balances ?? []).map(({ address: owner, balance, balanceBefore }) => ({
    key: { owner, token: nativeTokenAddress, standard: standards.native, tokenId: null },
    balance,
    before: balanceBefore,
  }));

/** No contract can have moved tokens before a chain's first block, but the genesis block may fund native accounts. */
export const hasBase = (key: BalanceKey, chain: ChainFacts): boolean => key.standard === standards.native || chain.from > 0;

/** The loaded row of a balance. */
export const storedBalance = (state: State, { owner, token, standard, tokenId }: BalanceKey): Row | undefined =>
  tokenId === null ? state.get("balances", owner, token, standard) : state.get("nftBalances", owner, token, tokenId, standard);
