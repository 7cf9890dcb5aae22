import type { ChainBlock } from "../../../chain/types.ts";
import type { ConsecutiveMint, DecodedBlock, DecodedEvent } from "../../../events/decoded-block.ts";
import { punkMovementAt } from "../../../events/punks.ts";
import type { ChainFacts } from "../../../indexer/projection.ts";
import { type Address, nativeTokenAddress, zeroAddress } from "../../../lib/hex.ts";
import { nativeMovements, nativeTransfers } from "../../ledger/projection/native-movements.ts";
import { standards } from "./standards.ts";

/** A movement of a token or of the native token. A side is null if it is not an account: for mints, burns, and movements from or to the protocol. */
export interface TokenMovement {
  /** False for balance changes that are not transfers: fees, tips, withdrawals. */
  readonly isTransfer: boolean;
  readonly transactionIndex: number | null;
  readonly logIndex: number | null;
  readonly standard: number;
  readonly token: Address;
  readonly from: Address | null;
  readonly to: Address | null;
  /** The addresses stored in the transfer's row; the zero address for a side that is not an account. */
  readonly fromAddress: Address;
  readonly toAddress: Address;
  readonly tokenId: bigint | null;
  readonly amount: bigint;
  /** See `Erc721Transfer`. */
  readonly isHybrid?: true | undefined;
}

/** Caches movements by block, because a batch uses them several times. */
const movementsByBlock = new WeakMap<DecodedBlock, { readonly chain: ChainFacts; readonly movements: readonly TokenMovement[] }>();

/**
 * All movements of a block in order: by transaction, and within each, native value, value of internal transactions, then logs by index; movements without a
 * transaction come last. Includes fees, tips and withdrawals if native balances are derived from traces.
 */
export const tokenMovements = (decoded: DecodedBlock, chain: ChainFacts): readonly TokenMovement[] => {
  const cached = movementsByBlock.get(decoded);
  if (cached?.chain === chain) return cached.movements;
  const movements = movementsOf(decoded, chain);
  movementsByBlock.set(decoded, { chain, movements });
  return movements;
};

const movementsOf = ({ block, events }: DecodedBlock, chain: ChainFacts): TokenMovement[] => {
  const movements: TokenMovement[] = [];
  const takeFromMintBudget = createMintBudget(block);
  let nextEvent = 0;
  const addEventsThrough = (through: number) => {
    for (let event = events[nextEvent]; event !== undefined && event.transactionIndex <= through; event = events[nextEvent]) {
      if (event.kind !== "consecutiveMint" || takeFromMintBudget(event)) addEvent(movements, event, chain, events, nextEvent);
      nextEvent += 1;
    }
  };
  for (const native of chain.nativeAccounting === "traces" ? nativeMovements(block) : nativeTransfers(block)) {
    // A tip is the last step of its transaction, after the events.
    const before = native.transactionIndex === null ? Number.POSITIVE_INFINITY : native.transactionIndex - (native.kind === "tip" ? 0 : 1);
    addEventsThrough(before);
    const isTransfer = native.kind === "value" || native.kind === "internal";
    movements.push({
      isTransfer,
      transactionIndex: native.transactionIndex,
      logIndex: null,
      standard: standards.native,
      token: nativeTokenAddress,
      from: native.from,
      to: native.to,
      fromAddress: native.from ?? zeroAddress,
      toAddress: native.to ?? zeroAddress,
      tokenId: null,
      amount: native.amount,
    });
  }
  addEventsThrough(Number.POSITIVE_INFINITY);
  return movements;
};

/**
 * Min gas per id that a transaction mints in ranges (EIP-2309). A range costs the same gas regardless of its length, but each id takes rows in the index. So
 * that nobody can fill an index at no cost, a range is ignored if it would exceed the ids that the transaction's gas covers. The value is about half the gas
 * per id in EIP-1155's TransferBatch. Deploying a collection usually costs more, so genuine ranges are covered.
 */
const minGasPerId = 250n;

const createMintBudget = ({ transactions }: ChainBlock): ((mint: ConsecutiveMint) => boolean) => {
  const remainingIds = new Map<number, bigint>();
  return ({ transactionIndex, fromId, toId }) => {
    const remaining =
      (remainingIds.get(transactionIndex) ?? (transactions[transactionIndex]?.gasUsed ?? 0n) / minGasPerId) - (toId - fromId + 1n);
    if (remaining < 0n) return false;
    remainingIds.set(transactionIndex, remaining);
    return true;
  };
};

const addEvent = (
  movements: TokenMovement[],
  event: DecodedEvent,
  chain: ChainFacts,
  events: readonly DecodedEvent[],
  position: number,
): void => {
  const add = (standard: number, from: Address, to: Address, tokenId: bigint | null, amount: bigint) => {
    movements.push({
      isTransfer: true,
      transactionIndex: event.transactionIndex,
      logIndex: event.logIndex,
      standard,
      token: event.address,
      from: from === zeroAddress ? null : from,
      to: to === zeroAddress ? null : to,
      fromAddress: from,
      toAddress: to,
      tokenId,
      amount,
      ...(event.kind === "erc721Transfer" && event.isHybrid ? { isHybrid: true } : {}),
    });
  };
  // Wrapped native tokens mint and burn without a Transfer; in other contracts, events with these names have different meanings.
  const isWrappedNative = chain.wrappedNative.has(event.address);
  if (event.kind === "erc20Transfer") add(standards.erc20, event.from, event.to, null, event.amount);
  else if (event.kind === "erc721Transfer") add(standards.erc721, event.from, event.to, event.tokenId, 1n);
  else if (event.kind === "consecutiveMint") {
    for (let id = event.fromId; id <= event.toId; id += 1n) add(standards.erc721, zeroAddress, event.to, id, 1n);
  } else if (event.kind === "erc1155Transfer") {
    for (const item of event.items) add(standards.erc1155, event.from, event.to, item.tokenId, item.amount);
  } else if (event.kind === "deposit" && isWrappedNative) add(standards.erc20, zeroAddress, event.owner, null, event.amount);
  else if (event.kind === "withdrawal" && isWrappedNative) add(standards.erc20, event.owner, zeroAddress, null, event.amount);
  else if (event.kind === "punkAssigned" || event.kind === "punkTransferred" || event.kind === "punkBought") {
    const moved = punkMovementAt(events, position);
    if (moved !== null) add(standards.erc721, moved.from, moved.to, moved.tokenId, 1n);
  }
};
