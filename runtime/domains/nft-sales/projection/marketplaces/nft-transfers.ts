import type { DecodedEvent } from "../../../../events/decoded-block.ts";
import { groupBy } from "../../../../lib/group-by.ts";
import { type Address, zeroAddress } from "../../../../lib/hex.ts";
import { standards } from "../../../tokens/projection/standards.ts";

/** A transfer of token units between two accounts. */
export interface NftTransfer {
  readonly logIndex: number;
  readonly collection: Address;
  readonly tokenId: bigint;
  readonly standard: number;
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
}

/** Units of a transfer allocated to an order. */
export interface AllocatedUnits {
  readonly transfer: NftTransfer;
  readonly units: bigint;
}

/** Max transfers of one id considered per transaction: each order may scan all of them. */
const maxTransfers = 1_000;
/** Max accounts through which a token is followed: every sale event may trigger this search. */
const maxSteps = 8;

const min = (left: bigint, right: bigint): bigint => (left < right ? left : right);
const keyOf = (collection: Address, tokenId: bigint): string => `${collection}${tokenId}`;

/** A transaction's transfers of collections' tokens, from their Transfer events. Mints and burns are not trades. */
export const createNftTransfers = (events: readonly DecodedEvent[]) => {
  const transfers = groupBy(
    events.flatMap(transfersOf).filter(({ from, to, amount }) => from !== zeroAddress && to !== zeroAddress && amount > 0n),
    ({ collection, tokenId }) => keyOf(collection, tokenId),
  );
  for (const tokenTransfers of transfers.values()) tokenTransfers.splice(maxTransfers);
  const transfersOfToken = (collection: Address, tokenId: bigint): readonly NftTransfer[] =>
    transfers.get(keyOf(collection, tokenId)) ?? [];
  /** Transfers with units allocated to an order on any marketplace. */
  const sold = new Set<NftTransfer>();

  return {
    /** Creates an allocation of transferred units to one marketplace's orders: each unit to one order, independently of other marketplaces. */
    createAllocation: () => {
      const remaining = new Map<NftTransfer, bigint>();
      /** The transfers of a token with units remaining. */
      const openTransfers = new Map<string, readonly NftTransfer[]>();
      const followed = new Set<NftTransfer>();
      return {
        /** Allocates units of a token from matching transfers with units remaining. */
        allocate: (collection: Address, tokenId: bigint, units: bigint, matches: (transfer: NftTransfer) => boolean): AllocatedUnits[] => {
          const allocated: AllocatedUnits[] = [];
          let unallocated = units;
          const key = keyOf(collection, tokenId);
          const candidates = openTransfers.get(key) ?? transfersOfToken(collection, tokenId);
          for (const transfer of candidates) {
            if (unallocated === 0n) break;
            if (!matches(transfer)) continue;
            const available = remaining.get(transfer) ?? transfer.amount;
            const part = min(available, unallocated);
            remaining.set(transfer, available - part);
            unallocated -= part;
            sold.add(transfer);
            allocated.push({ transfer, units: part });
          }
          if (allocated.length > 0)
            openTransfers.set(
              key,
              candidates.filter((transfer) => remaining.get(transfer) !== 0n),
            );
          return allocated;
        },
        /**
         * The account that has the units at the end of the transaction, or had them at its start: a contract that the sender used as an intermediary
         * passes bought units on right after the sale, and receives sold ones right before it. A resale is not followed.
         */
        follow: ({ transfer, units }: AllocatedUnits, side: "from" | "to", sender: Address | null): Address => {
          let end = transfer;
          for (let step = 0; step < maxSteps && end[side] !== sender; step += 1) {
            const next = transfersOfToken(transfer.collection, transfer.tokenId).find(
              (other) =>
                (side === "to"
                  ? other.from === end.to && other.logIndex > end.logIndex
                  : other.to === end.from && other.logIndex < end.logIndex) &&
                other.amount === units &&
                !sold.has(other) &&
                !followed.has(other),
            );
            if (next === undefined) break;
            followed.add(next);
            end = next;
          }
          return end[side];
        },
      };
    },
  };
};

/** Allocates transferred units to one marketplace's orders. */
export type TransferAllocation = ReturnType<ReturnType<typeof createNftTransfers>["createAllocation"]>;

const transfersOf = (event: DecodedEvent): NftTransfer[] => {
  if (event.kind === "erc721Transfer") {
    const { logIndex, address, tokenId, from, to } = event;
    return [{ logIndex, collection: address, tokenId, standard: standards.erc721, from, to, amount: 1n }];
  }
  if (event.kind !== "erc1155Transfer") return [];
  const { logIndex, address, from, to, items } = event;
  return items.map(({ tokenId, amount }) => ({ logIndex, collection: address, tokenId, standard: standards.erc1155, from, to, amount }));
};
