import type { ChainBlock, ChainLog } from "../chain/types.ts";
import type { Address, Hash } from "../lib/hex.ts";
import type { TopicReader } from "./words.ts";

/** Where a decoded event stands. */
export interface EventPlace {
  readonly address: Address;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

export interface Erc20Transfer extends EventPlace {
  readonly kind: "erc20Transfer";
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
}

export interface Erc721Transfer extends EventPlace {
  readonly kind: "erc721Transfer";
  readonly from: Address;
  readonly to: Address;
  readonly tokenId: bigint;
  /** The contract is an ERC-20 token as well, as those after ERC-404 are: its `balanceOf` returns coins, and not how many ids an account has. */
  readonly ofHybrid?: true;
}

/** Coins of the first contracts after ERC-404, which move them by an event of their own. Other contracts' events of this name mean other things. */
export interface HybridTransfer extends EventPlace {
  readonly kind: "hybridTransfer";
  readonly from: Address;
  readonly to: Address;
  readonly amount: bigint;
}

/** ERC-721 ids from and to, both included, that were minted at once (EIP-2309). */
export interface ConsecutiveMint extends EventPlace {
  readonly kind: "consecutiveMint";
  readonly to: Address;
  readonly fromId: bigint;
  readonly toId: bigint;
}

/** TransferSingle with one item, TransferBatch with any number of them. */
export interface Erc1155Transfer extends EventPlace {
  readonly kind: "erc1155Transfer";
  readonly operator: Address;
  readonly from: Address;
  readonly to: Address;
  readonly items: readonly { readonly tokenId: bigint; readonly amount: bigint }[];
}

/** What a wrapped native token emits in place of a mint's or burn's Transfer. */
export interface Wrapping extends EventPlace {
  readonly kind: "deposit" | "withdrawal";
  readonly owner: Address;
  readonly amount: bigint;
}

/** What a registry or a resolver of names says of a node from now on (EIP-137); null where it says nothing any more. */
export type NameFact = { readonly node: Hash } & (
  | { readonly kind: "nameOwner"; readonly owner: Address }
  | { readonly kind: "nameResolver"; readonly resolver: Address | null }
  | { readonly kind: "nameAddress"; readonly account: Address | null }
  | { readonly kind: "nameText"; readonly name: string | null }
  | { readonly kind: "nameCleared" }
);

export type NameEvent = EventPlace & NameFact;

/** The rule by which a pool trades: the product of its reserves stays, or liquidity is given for ranges of prices. */
export type PoolFamily = "xy=k" | "concentrated";

/** What a factory says of a pool, or a pool of itself. Amounts in are those that the pool receives. */
export type PoolFact =
  | {
      readonly kind: "poolCreated";
      readonly family: PoolFamily;
      readonly pool: Address;
      readonly token0: Address;
      readonly token1: Address;
      /** Null where the fee is the exchange's. */
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
      /** After the swap; null in a pool that tells its reserves instead. */
      readonly price: { readonly sqrtPriceX96: bigint; readonly liquidity: bigint; readonly tick: number } | null;
    }
  | {
      readonly kind: "poolDeposit" | "poolWithdrawal";
      readonly sender: Address;
      /** Whose liquidity it is, or who receives it; null where the event does not say. */
      readonly to: Address | null;
      readonly amount0: bigint;
      readonly amount1: bigint;
      readonly position: { readonly tickLower: number; readonly tickUpper: number; readonly liquidity: bigint } | null;
    }
  /** Tokens that a pool took in or gave out beside trade and new liquidity. */
  | {
      readonly kind: "poolMoved";
      readonly amount0In: bigint;
      readonly amount1In: bigint;
      readonly amount0Out: bigint;
      readonly amount1Out: bigint;
    };

export type PoolEvent = EventPlace & PoolFact;

/** What a price feed says from now on, in the smallest unit of its answers. */
export interface FeedAnswer extends EventPlace {
  readonly kind: "feedAnswer";
  readonly answer: bigint;
}

/** What a spender may take of an owner's ERC-20 tokens from now on. */
export interface Erc20Approval extends EventPlace {
  readonly kind: "erc20Approval";
  readonly owner: Address;
  readonly spender: Address;
  readonly amount: bigint;
}

/** Who may move one token of a collection from now on; the zero address for nobody. */
export interface Erc721Approval extends EventPlace {
  readonly kind: "erc721Approval";
  readonly owner: Address;
  readonly spender: Address;
  readonly tokenId: bigint;
}

/** Whether an operator may move all that an owner has of a collection. */
export interface ApprovalForAll extends EventPlace {
  readonly kind: "approvalForAll";
  readonly owner: Address;
  readonly operator: Address;
  readonly approved: boolean;
}

/** What a collection announces of changed metadata: ids from and to, both included. */
export interface MetadataUpdate extends EventPlace {
  readonly kind: "metadataUpdate";
  readonly fromId: bigint;
  readonly toId: bigint;
}

/** Something that an order gave or asked for: a payment, or tokens of a collection. */
export interface OrderItem {
  readonly kind: "payment" | "token";
  /** The zero address for the native token. */
  readonly token: Address;
  readonly tokenId: bigint;
  readonly amount: bigint;
}

/** What Seaport says of an order that was filled: everything that its offerer gave, and everything that was given for it. */
export interface OrderFulfilled extends EventPlace {
  readonly kind: "orderFulfilled";
  readonly orderHash: Hash;
  readonly offerer: Address;
  /** Who received what was offered; orders that were matched with each other name the caller, or nobody. */
  readonly recipient: Address;
  readonly offer: readonly OrderItem[];
  readonly consideration: readonly (OrderItem & { readonly recipient: Address })[];
}

/** Which of the orders before it were filled with each other. */
export interface OrdersMatched extends EventPlace {
  readonly kind: "ordersMatched";
  readonly orderHashes: readonly Hash[];
}

/** What a contract says that was made like CryptoPunks, before there was a standard. */
export type PunkFact = { readonly tokenId: bigint } & (
  | { readonly kind: "punkAssigned"; readonly to: Address }
  | { readonly kind: "punkTransferred"; readonly from: Address; readonly to: Address }
  | { readonly kind: "punkBidEntered"; readonly bidder: Address; readonly value: bigint }
  /** Where a bid was accepted, value and buyer are zero: the contract forgets the bid before it tells of it. */
  | { readonly kind: "punkBought"; readonly from: Address; readonly to: Address; readonly value: bigint }
);

export type PunkEvent = EventPlace & PunkFact;

export type DecodedEvent =
  | Erc20Transfer
  | Erc721Transfer
  | HybridTransfer
  | ConsecutiveMint
  | Erc1155Transfer
  | Wrapping
  | NameEvent
  | PoolEvent
  | FeedAnswer
  | Erc20Approval
  | Erc721Approval
  | ApprovalForAll
  | MetadataUpdate
  | OrderFulfilled
  | OrdersMatched
  | PunkEvent;

/** A block and the events of it that the projections asked for, by log index. */
export interface DecodedBlock {
  readonly block: ChainBlock;
  readonly events: readonly DecodedEvent[];
}

/**
 * How one event looks in a log. `decode` is told nothing of the event but its bytes: what is malformed is null, never an error. `addressOf` reads topics
 * that are addresses, and may remember them.
 */
export interface EventDefinition {
  readonly id: string;
  /** keccak-256 of the event's signature. */
  readonly topic0: Hash;
  readonly decode: (log: ChainLog, transactionIndex: number, addressOf?: TopicReader) => DecodedEvent | null;
}
