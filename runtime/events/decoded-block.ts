import type { ChainBlock, ChainLog } from "../chain/types.ts";
import type { Address, Hash, Hex } from "../lib/hex.ts";
import type { TopicReader } from "./words.ts";

/** A decoded event's contract and position. */
export interface EventPosition {
  readonly address: Address;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

export interface Erc20Transfer extends EventPosition {
  readonly kind: "erc20Transfer";
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
}

export interface Erc721Transfer extends EventPosition {
  readonly kind: "erc721Transfer";
  readonly from: Address;
  readonly to: Address;
  readonly tokenId: bigint;
  /** Set if the contract is also an ERC-20 token (ERC-404): its `balanceOf` then returns an ERC-20 amount, not a number of ids. */
  readonly isHybrid?: true;
}

/** A transfer of ERC-20 amounts in early ERC-404 contracts, which emit a separate event for it. In other contracts this event may have a different meaning. */
export interface HybridTransfer extends EventPosition {
  readonly kind: "hybridTransfer";
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
}

/** ERC-721 ids `fromId` to `toId` inclusive, minted by one event (EIP-2309). */
export interface ConsecutiveMint extends EventPosition {
  readonly kind: "consecutiveMint";
  readonly to: Address;
  readonly fromId: bigint;
  readonly toId: bigint;
}

/** TransferSingle with one item, TransferBatch with any number of them. */
export interface Erc1155Transfer extends EventPosition {
  readonly kind: "erc1155Transfer";
  readonly operator: Address;
  readonly from: Address;
  readonly to: Address;
  readonly items: readonly { readonly tokenId: bigint; readonly amount: bigint }[];
}

/** The event that a wrapped native token emits instead of a Transfer for a mint or burn. */
export interface WrappedNativeEvent extends EventPosition {
  readonly kind: "deposit" | "withdrawal";
  readonly owner: Address;
  readonly amount: bigint;
}

/** A node's new record in a name registry or resolver (EIP-137); null if the record is cleared. */
export type NameEventFields = { readonly node: Hash } & (
  | { readonly kind: "nameOwner"; readonly owner: Address }
  | { readonly kind: "nameResolver"; readonly resolver: Address | null }
  | { readonly kind: "nameAddress"; readonly account: Address | null }
  | { readonly kind: "nameText"; readonly name: string | null }
  | { readonly kind: "nameCleared" }
);

export type NameEvent = EventPosition & NameEventFields;

/** The pricing rule of a pool: constant product of the reserves, or liquidity in price ranges. */
export type PoolFamily = "xy=k" | "concentrated";

/** An event emitted by a pool, or by its factory about the pool. "In" amounts are received by the pool. */
export type PoolEventFields =
  | {
      readonly kind: "poolCreated";
      readonly family: PoolFamily;
      readonly pool: Address;
      readonly token0: Address;
      readonly token1: Address;
      /** Null if the fee is the same for the whole exchange. */
      readonly feePpm: number | null;
    }
  | { readonly kind: "poolReserves"; readonly reserve0: bigint; readonly reserve1: bigint }
  | { readonly kind: "poolPrice"; readonly sqrtPriceX96: bigint; readonly tick: number }
  | {
      readonly kind: "poolSwap";
      readonly sender: Address;
      readonly to: Address;
      readonly amount0In: bigint;
      readonly amount1In: bigint;
      readonly amount0Out: bigint;
      readonly amount1Out: bigint;
      /** The price after the swap; null for a pool that emits its reserves. */
      readonly price: { readonly sqrtPriceX96: bigint; readonly liquidity: bigint; readonly tick: number } | null;
    }
  | {
      readonly kind: "poolDeposit" | "poolWithdrawal";
      readonly sender: Address;
      /** The owner of the liquidity, or the recipient of a withdrawal; null if the event does not contain it. */
      readonly to: Address | null;
      readonly amount0: bigint;
      readonly amount1: bigint;
      readonly position: { readonly tickLower: number; readonly tickUpper: number; readonly liquidity: bigint } | null;
    }
  /** Tokens that a pool received or sent other than through swaps and liquidity changes. */
  | {
      readonly kind: "poolBalanceChange";
      readonly amount0In: bigint;
      readonly amount1In: bigint;
      readonly amount0Out: bigint;
      readonly amount1Out: bigint;
    };

export type PoolEvent = EventPosition & PoolEventFields;

/** A price feed's new answer, in its smallest unit. */
export interface FeedAnswer extends EventPosition {
  readonly kind: "feedAnswer";
  readonly answer: bigint;
}

/** A new allowance of a spender over an owner's ERC-20 tokens. */
export interface Erc20Approval extends EventPosition {
  readonly kind: "erc20Approval";
  readonly owner: Address;
  readonly spender: Address;
  readonly amount: bigint;
}

/** A new approved account for one token of a collection; the zero address if there is none. */
export interface Erc721Approval extends EventPosition {
  readonly kind: "erc721Approval";
  readonly owner: Address;
  readonly spender: Address;
  readonly tokenId: bigint;
}

/** Whether an operator may transfer all of an owner's tokens in a collection. */
export interface ApprovalForAll extends EventPosition {
  readonly kind: "approvalForAll";
  readonly owner: Address;
  readonly operator: Address;
  readonly approved: boolean;
}

/** An announcement of changed metadata, for ids `fromId` to `toId` inclusive. */
export interface MetadataUpdate extends EventPosition {
  readonly kind: "metadataUpdate";
  readonly fromId: bigint;
  readonly toId: bigint;
}

/** An offered or received item of an order: a payment, or tokens of a collection. */
export interface OrderItem {
  readonly kind: "payment" | "token";
  /** The zero address for the native token. */
  readonly token: Address;
  readonly tokenId: bigint;
  readonly amount: bigint;
}

/** A fulfilled Seaport order: all items that the offerer spent, and all items received in return. */
export interface OrderFulfilled extends EventPosition {
  readonly kind: "orderFulfilled";
  readonly orderHash: Hash;
  readonly offerer: Address;
  /** The recipient of the offer; for matched orders the caller or the zero address. */
  readonly recipient: Address;
  readonly offer: readonly OrderItem[];
  readonly consideration: readonly (OrderItem & { readonly recipient: Address })[];
}

/** The hashes of the preceding orders that were matched with each other. */
export interface OrdersMatched extends EventPosition {
  readonly kind: "ordersMatched";
  readonly orderHashes: readonly Hash[];
}

/** An event of a contract that follows CryptoPunks, which predate the standards. */
export type PunkEventFields = { readonly tokenId: bigint } & (
  | { readonly kind: "punkAssigned"; readonly to: Address }
  | { readonly kind: "punkTransferred"; readonly from: Address; readonly to: Address }
  | { readonly kind: "punkBidEntered"; readonly bidder: Address; readonly value: bigint }
  /** Value and buyer are zero if a bid was accepted, because the contract clears the bid before it emits the event. */
  | { readonly kind: "punkBought"; readonly from: Address; readonly to: Address; readonly value: bigint }
);

export type PunkEvent = EventPosition & PunkEventFields;

/** An event from a Safe (a multi-signature account), or from a contract that emits the same events. */
export type SafeEventFields =
  | { readonly kind: "safeSetup"; readonly owners: readonly Address[]; readonly threshold: bigint }
  | { readonly kind: "safeOwnerAdded" | "safeOwnerRemoved"; readonly owner: Address }
  | { readonly kind: "safeThreshold"; readonly threshold: bigint }
  /** Emitted by SafeL2 before it checks the signatures. */
  | { readonly kind: "safeStarted"; readonly signatures: Hex }
  /** Emitted after the execution; a failed execution only reverted its call. */
  | { readonly kind: "safeExecuted"; readonly txHash: Hash; readonly isSuccessful: boolean };

export type SafeEvent = EventPosition & SafeEventFields;

export type DecodedEvent =
  | Erc20Transfer
  | Erc721Transfer
  | HybridTransfer
  | ConsecutiveMint
  | Erc1155Transfer
  | WrappedNativeEvent
  | NameEvent
  | PoolEvent
  | FeedAnswer
  | Erc20Approval
  | Erc721Approval
  | ApprovalForAll
  | MetadataUpdate
  | OrderFulfilled
  | OrdersMatched
  | PunkEvent
  | SafeEvent;

/** A block and the decoded events that projections use, by log index. */
export interface DecodedBlock {
  readonly block: ChainBlock;
  readonly events: readonly DecodedEvent[];
}

/**
 * An event and its decoder. `decode` returns null for a malformed log and never throws. `addressOf` decodes address topics, and may cache
 * them.
 */
export interface EventDefinition {
  readonly id: string;
  /** keccak-256 of the event's signature. */
  readonly topic0: Hash;
  readonly decode: (log: ChainLog, transactionIndex: number, addressOf?: TopicReader) => DecodedEvent | null;
}
