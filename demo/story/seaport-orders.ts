import { encodeFunctionData, hashStruct, hashTypedData, parseAbi } from "viem";
import { sign } from "viem/accounts";
import { type Address, type Hash, type Hex, zeroAddress } from "../../runtime/lib/hex.ts";

/** What of Seaport (1.2 and later) the story and the tests call. */
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

const itemTypes = { native: 0, erc20: 1, erc721: 2, erc1155: 3 } as const;
const noHash: Hash = `0x${"0".repeat(64)}`;

/** Something that an order offers or asks for. */
export interface OrderItem {
  readonly itemType: number;
  readonly token: Address;
  readonly identifierOrCriteria: bigint;
  readonly startAmount: bigint;
  readonly endAmount: bigint;
}

/** Something that an order asks for, and who is to receive it. */
export interface AskedItem extends OrderItem {
  readonly recipient: Address;
}

/** An order as its offerer signs it. */
export interface SeaportOrder {
  readonly offerer: Address;
  readonly zone: Address;
  readonly offer: readonly OrderItem[];
  readonly consideration: readonly AskedItem[];
  readonly orderType: number;
  readonly startTime: bigint;
  readonly endTime: bigint;
  readonly zoneHash: Hash;
  readonly salt: bigint;
  readonly conduitKey: Hash;
  readonly counter: bigint;
}

/** An order that is to be filled; the signature is empty where the order was validated on the chain, or its offerer sends the transaction. */
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
export const native = (amount: bigint): OrderItem => item(itemTypes.native, zeroAddress, 0n, amount);

/** An amount of an ERC-20 token. */
export const coins = (token: Address, amount: bigint): OrderItem => item(itemTypes.erc20, token, 0n, amount);

/** One ERC-721 token. */
export const unique = (token: Address, tokenId: bigint): OrderItem => item(itemTypes.erc721, token, tokenId, 1n);

/** Units of an ERC-1155 id. */
export const units = (token: Address, tokenId: bigint, amount: bigint): OrderItem => item(itemTypes.erc1155, token, tokenId, amount);

/** Asks for something on behalf of somebody. */
export const forAccount = (recipient: Address, asked: OrderItem): AskedItem => ({ ...asked, recipient });

/** An order without zone and conduit that is valid at any time. Two orders that are alike otherwise need salts of their own. */
export const createOrder = (terms: {
  readonly offerer: Address;
  readonly offer: readonly OrderItem[];
  readonly consideration: readonly AskedItem[];
  readonly salt: bigint;
  /** May be filled in parts. */
  readonly partial?: boolean;
  readonly counter?: bigint;
}): SeaportOrder => ({
  offerer: terms.offerer,
  zone: zeroAddress,
  offer: terms.offer,
  consideration: terms.consideration,
  orderType: terms.partial === true ? 1 : 0,
  startTime: 0n,
  endTime: 2n ** 64n,
  zoneHash: noHash,
  salt: terms.salt,
  conduitKey: noHash,
  counter: terms.counter ?? 0n,
});

const field = (type: string, name: string) => ({ type, name });
const offered = [
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
  OfferItem: offered,
  ConsiderationItem: [...offered, field("address", "recipient")],
};

/** What Seaport calls an order: the hash of its EIP-712 struct. */
export const orderHash = (order: SeaportOrder): Hash =>
  hashStruct({ data: { ...order }, primaryType: "OrderComponents", types: orderTypes });

/** The offerer's EIP-712 signature of an order, for the Seaport at an address. */
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
const signed = ({ order, signature = "0x" }: OrderToFill) => ({ parameters: parametersOf(order), signature });

/** Call data that has Seaport remember orders as valid; sent by their offerer, they need no signature then or later. */
export const encodeValidate = (orders: readonly SeaportOrder[]): Hex =>
  encodeFunctionData({ abi: seaportAbi, functionName: "validate", args: [orders.map((order) => signed({ order }))] });

/** Call data that fills an order whole. */
export const encodeFulfillOrder = (toFill: OrderToFill): Hex =>
  encodeFunctionData({ abi: seaportAbi, functionName: "fulfillOrder", args: [signed(toFill), noHash] });

/** Call data that fills a part of an order; what it offers goes to `recipient`, or to the sender where none is named. */
export const encodeFulfillAdvancedOrder = (
  { order, signature = "0x" }: OrderToFill,
  part: { readonly numerator: bigint; readonly denominator: bigint; readonly recipient?: Address },
): Hex => {
  const { numerator, denominator, recipient = zeroAddress } = part;
  const advanced = { parameters: parametersOf(order), numerator, denominator, signature, extraData: "0x" } as const;
  return encodeFunctionData({ abi: seaportAbi, functionName: "fulfillAdvancedOrder", args: [advanced, [], noHash, recipient] });
};

/** Call data that fills several orders at once, each item moved for itself. */
export const encodeFulfillAvailableOrders = (all: readonly OrderToFill[]): Hex => {
  const alone = (side: "offer" | "consideration") =>
    all.flatMap(({ order }, orderIndex) =>
      order[side].map((_, itemIndex) => [{ orderIndex: BigInt(orderIndex), itemIndex: BigInt(itemIndex) }]),
    );
  const args = [all.map(signed), alone("offer"), alone("consideration"), noHash, BigInt(all.length)] as const;
  return encodeFunctionData({ abi: seaportAbi, functionName: "fulfillAvailableOrders", args });
};

/** One item offered (order, item) for one asked (order, item), by their positions. */
export type ItemMatch = readonly [readonly [number, number], readonly [number, number]];

/** Call data that fills orders with each other. */
export const encodeMatchOrders = (all: readonly OrderToFill[], matches: readonly ItemMatch[]): Hex => {
  const component = ([orderIndex, itemIndex]: readonly [number, number]) => [
    { orderIndex: BigInt(orderIndex), itemIndex: BigInt(itemIndex) },
  ];
  const fulfillments = matches.map(([given, asked]) => ({
    offerComponents: component(given),
    considerationComponents: component(asked),
  }));
  return encodeFunctionData({ abi: seaportAbi, functionName: "matchOrders", args: [all.map(signed), fulfillments] });
};
