import { encodeFunctionData, hashStruct, hashTypedData, parseAbi } from "viem";
import { sign } from "viem/accounts";
import { type Address, type Hash, type Hex, zeroAddress } from "../../runtime/lib/hex.ts";

/** The functions of Seaport (1.2 and later) that the story and the tests call. */
const seaportAbi = parseAbi([
  "struct OfferItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; }",
  "struct ConsiderationItem { uint8 itemType; address token; uint256 identifierOrCriteria; uint256 startAmount; uint256 endAmount; address recipient; }",
  "struct OrderParameters { address offerer; address zone; OfferItem[] offer; ConsiderationItem[] consideration; uint8 orderType; uint256 startTime; uint256 endTime; bytes32 zoneHash; uint256 salt; bytes32 conduitKey; uint256 totalOriginalConsiderationItems; }",
  "struct Order { OrderParameters parameters; bytes signature; }",
  "struct AdvancedOrder { OrderParameters parameters; uint120 numerator; uint120 denominator; bytes signature; bytes extraData; }",
  "struct CriteriaResolver { uint256 orderIndex; uint8 side; uint256 index; uint256 identifier; bytes32[] criteriaProof; }",
  "struct FulfillmentComponent { uint256 orderIndex; uint256 itemIndex; }",
  "struct Fulfillment { FulfillmentComponent[] offerComponents; FulfillmentComponent[] considerationComponents; }",
  "function validate(Order[] orders) returns (bool)",
  "function fulfillOrder(Order order, bytes32 fulfillerConduitKey) payable returns (bool)",
  "function fulfillAdvancedOrder(AdvancedOrder advancedOrder, CriteriaResolver[] criteriaResolvers, bytes32 fulfillerConduitKey, address recipient) payable returns (bool)",
  "function fulfillAvailableOrders(Order[] orders, FulfillmentComponent[][] offerFulfillments, FulfillmentComponent[][] considerationFulfillments, bytes32 fulfillerConduitKey, uint256 maximumFulfilled) payable",
  "function matchOrders(Order[] orders, Fulfillment[] fulfillments) payable",
]);

const itemTypes = { nativeItem: 0, erc20: 1, erc721: 2, erc1155: 3 } as const;
const noHash: Hash = `0x${"0".repeat(64)}`;

/** An item that an order offers or requests. */
export interface OrderItem {
  readonly itemType: number;
  readonly token: Address;
  readonly identifierOrCriteria: bigint;
  readonly startAmount: bigint;
  readonly endAmount: bigint;
}

/** An item that an order requests, with its recipient. */
export interface ConsiderationItem extends OrderItem {
  readonly recipient: Address;
}

/** The fields of an order that its offerer signs. */
export interface SeaportOrder {
  readonly offerer: Address;
  readonly zone: Address;
  readonly offer: readonly OrderItem[];
  readonly consideration: readonly ConsiderationItem[];
  readonly orderType: number;
  readonly startTime: bigint;
  readonly endTime: bigint;
  readonly zoneHash: Hash;
  readonly salt: bigint;
  readonly conduitKey: Hash;
  readonly counter: bigint;
}

/** An order to fill. It needs no signature if it was validated on the chain or its offerer sends the transaction. */
export interface OrderToFill {
  readonly order: SeaportOrder;
  readonly signature?: Hex;
}

const item = (itemType: number, token: Address, identifierOrCriteria: bigint, amount: bigint): OrderItem => ({
  itemType,
  token,
  identifierOrCriteria,
  startAmount: amount,
  endAmount: amount,
});

/** An amount of the native token. */
export const nativeItem = (amount: bigint): OrderItem => item(itemTypes.nativeItem, zeroAddress, 0n, amount);

/** An amount of an ERC-20 token. */
export const erc20Item = (token: Address, amount: bigint): OrderItem => item(itemTypes.erc20, token, 0n, amount);

/** One ERC-721 token. */
export const erc721Item = (token: Address, tokenId: bigint): OrderItem => item(itemTypes.erc721, token, tokenId, 1n);

/** Units of an ERC-1155 id. */
export const erc1155Item = (token: Address, tokenId: bigint, amount: bigint): OrderItem => item(itemTypes.erc1155, token, tokenId, amount);

/** Adds the recipient to an item. */
export const withRecipient = (recipient: Address, requested: OrderItem): ConsiderationItem => ({ ...requested, recipient });

/** Creates an order without zone, conduit and expiry. Otherwise identical orders need different salts. */
export const createOrder = (options: {
  readonly offerer: Address;
  readonly offer: readonly OrderItem[];
  readonly consideration: readonly ConsiderationItem[];
  readonly salt: bigint;
  /** Whether the order may be filled in parts. */
  readonly partial?: boolean;
  readonly counter?: bigint;
}): SeaportOrder => ({
  offerer: options.offerer,
  zone: zeroAddress,
  offer: options.offer,
  consideration: options.consideration,
  orderType: options.partial === true ? 1 : 0,
  startTime: 0n,
  endTime: 2n ** 64n,
  zoneHash: noHash,
  salt: options.salt,
  conduitKey: noHash,
  counter: options.counter ?? 0n,
});

const field = (type: string, name: string) => ({ type, name });
const offerItemFields = [
  field("uint8", "itemType"),
  field("address", "token"),
  field("uint256", "identifierOrCriteria"),
  field("uint256", "startAmount"),
  field("uint256", "endAmount"),
];
const orderTypes = {
  OrderComponents: [
    field("address", "offerer"),
    field("address", "zone"),
    field("OfferItem[]", "offer"),
    field("ConsiderationItem[]", "consideration"),
    field("uint8", "orderType"),
    field("uint256", "startTime"),
    field("uint256", "endTime"),
    field("bytes32", "zoneHash"),
    field("uint256", "salt"),
    field("bytes32", "conduitKey"),
    field("uint256", "counter"),
  ],
  OfferItem: offerItemFields,
  ConsiderationItem: [...offerItemFields, field("address", "recipient")],
};

/** Returns the order hash of Seaport: the hash of the order's EIP-712 struct. */
export const orderHash = (order: SeaportOrder): Hash =>
  hashStruct({ data: { ...order }, primaryType: "OrderComponents", types: orderTypes });

/** Signs an order (EIP-712) for a Seaport contract. */
export const signOrder = (
  order: SeaportOrder,
  seaport: { readonly chainId: number; readonly address: Address; readonly version?: string },
  privateKey: Hash,
): Promise<Hex> => {
  const domain = { name: "Seaport", version: seaport.version ?? "1.6", chainId: seaport.chainId, verifyingContract: seaport.address };
  const hash = hashTypedData({ domain, types: orderTypes, primaryType: "OrderComponents", message: { ...order } });
  return sign({ hash, privateKey, to: "hex" });
};

const parametersOf = ({ counter: _, ...order }: SeaportOrder) => ({
  ...order,
  totalOriginalConsiderationItems: BigInt(order.consideration.length),
});
const withSignature = ({ order, signature = "0x" }: OrderToFill) => ({ parameters: parametersOf(order), signature });

/** Encodes a call that validates orders on the chain. If their offerer sends it, neither the call nor later fills need signatures. */
export const encodeValidate = (orders: readonly SeaportOrder[]): Hex =>
  encodeFunctionData({ abi: seaportAbi, functionName: "validate", args: [orders.map((order) => withSignature({ order }))] });

/** Encodes a call that fills an order completely. */
export const encodeFulfillOrder = (toFill: OrderToFill): Hex =>
  encodeFunctionData({ abi: seaportAbi, functionName: "fulfillOrder", args: [withSignature(toFill), noHash] });

/** Encodes a call that fills a fraction of an order. The offered items go to `recipient`, by default the sender. */
export const encodeFulfillAdvancedOrder = (
  { order, signature = "0x" }: OrderToFill,
  part: { readonly numerator: bigint; readonly denominator: bigint; readonly recipient?: Address },
): Hex => {
  const { numerator, denominator, recipient = zeroAddress } = part;
  const advanced = { parameters: parametersOf(order), numerator, denominator, signature, extraData: "0x" } as const;
  return encodeFunctionData({ abi: seaportAbi, functionName: "fulfillAdvancedOrder", args: [advanced, [], noHash, recipient] });
};

/** Encodes a call that fills several orders and transfers each item separately. */
export const encodeFulfillAvailableOrders = (all: readonly OrderToFill[]): Hex => {
  const separately = (side: "offer" | "consideration") =>
    all.flatMap(({ order }, orderIndex) =>
      order[side].map((_, itemIndex) => [{ orderIndex: BigInt(orderIndex), itemIndex: BigInt(itemIndex) }]),
    );
  const args = [all.map(withSignature), separately("offer"), separately("consideration"), noHash, BigInt(all.length)] as const;
  return encodeFunctionData({ abi: seaportAbi, functionName: "fulfillAvailableOrders", args });
};

/** Matches an offered item with a requested one; each is given as the position of its order and its position in the order. */
export type ItemMatch = readonly [readonly [number, number], readonly [number, number]];

/** Encodes a call that matches orders with each other. */
export const encodeMatchOrders = (all: readonly OrderToFill[], matches: readonly ItemMatch[]): Hex => {
  const component = ([orderIndex, itemIndex]: readonly [number, number]) => [
    { orderIndex: BigInt(orderIndex), itemIndex: BigInt(itemIndex) },
  ];
  const fulfillments = matches.map(([offered, requested]) => ({
    offerComponents: component(offered),
    considerationComponents: component(requested),
  }));
  return encodeFunctionData({ abi: seaportAbi, functionName: "matchOrders", args: [all.map(withSignature), fulfillments] });
};
