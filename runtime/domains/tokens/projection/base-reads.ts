import type { CallOutcome } from "../../../chain/source.ts";
import type { BaseRead } from "../../../indexer/projection.ts";
import type { Address, Hex } from "../../../lib/hex.ts";
import { standards } from "./standards.ts";

/** The key of a balance; `tokenId` is null for a fungible token, the native token, and the number of tokens held in a collection. */
export interface BalanceKey {
  readonly owner: Address;
  readonly token: Address;
  readonly standard: number;
  readonly tokenId: bigint | null;
  /** Set for the token count of a collection whose `balanceOf` returns an ERC-20 balance, because the contract is also an ERC-20 token. */
  readonly isHybrid?: true | undefined;
}

const numberWord = (value: bigint): string => value.toString(16).padStart(64, "0");
const addressWord = (address: Address): string => address.slice(2).padStart(64, "0");

/** balanceOf(address) of EIP-20 and EIP-721, ownerOf(uint256) of EIP-721, balanceOf(address,uint256) of EIP-1155. */
const selectors = { balanceOf: "0x70a08231", ownerOf: "0x6352211e", balanceOfId: "0x00fdd58e" } as const;

/** The read of a base balance; null if there is no call for it. */
export const baseReadOf = (key: BalanceKey, firstBlock: number): BaseRead | null => {
  const { owner, token, standard, tokenId, isHybrid } = key;
  if (standard === standards.native) return { firstBlock, address: owner };
  if (tokenId === null) {
    // EIP-1155 has no call for the total units held across all ids.
    return standard === standards.erc1155 || isHybrid === true
      ? null
      : { firstBlock, to: token, data: `${selectors.balanceOf}${addressWord(owner)}` };
  }
  return standard === standards.erc721
    ? { firstBlock, to: token, data: `${selectors.ownerOf}${numberWord(tokenId)}` }
    : { firstBlock, to: token, data: `${selectors.balanceOfId}${addressWord(owner)}${numberWord(tokenId)}` };
};

/** The balance in a call's result; null if the result is not a balance. */
export const decodeBaseBalance = (key: BalanceKey, outcome: CallOutcome): bigint | null => {
  const isOwnerRead = key.standard === standards.erc721 && key.tokenId !== null;
  // ownerOf reverts for an id without an owner (EIP-721).
  if (!outcome.ok) return outcome.reverted && isOwnerRead ? 0n : null;
  // An address without code returns no data: the contract was not deployed yet.
  if (outcome.data === "0x") return 0n;
  if (outcome.data.length !== 66) return null;
  if (isOwnerRead) return isOwner(outcome.data, key.owner) ? 1n : 0n;
  return BigInt(outcome.data);
};

const isOwner = (data: Hex, owner: Address): boolean => data.slice(26) === owner.slice(2);
