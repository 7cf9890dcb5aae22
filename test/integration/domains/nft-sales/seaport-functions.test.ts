import { encodeFunctionData } from "viem";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  encodeFulfillAvailableOrders,
  encodeMatchOrders,
  encodeValidate,
  erc20Item,
  erc721Item,
  nativeItem,
  orderHash,
  signOrder,
  withRecipient,
} from "../../../../demo/story/seaport-orders.ts";
import { type Address, type Hash, nativeTokenAddress, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { artifacts } from "../../../support/chain.ts";
import { compileSolidity } from "../../../support/solidity.ts";
import { readContract } from "../pools/support.ts";
import { ether, indexNftMarket, type NftMarket, salesIn, serveNftMarket, startNftMarket, toLower } from "./nft-market.ts";
import { seaportArtifact } from "./seaport.ts";

let market: NftMarket;
beforeAll(async () => {
  market = await startNftMarket();
}, 60_000);
afterAll(() => market?.chain.stop());

const gas = 3_000_000n;
/** The private key of anna, anvil's second account. */
const annaKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const zeroHash: Hash = `0x${"0".repeat(64)}`;

const transferData = (from: Address, to: Address, id: bigint) =>
  encodeFunctionData({ abi: artifacts.erc721().abi, functionName: "transferFrom", args: [from, to, id] });

/** Emits Seaport's OrderFulfilled for a token, which it moves only on request. */
const imitation = compileSolidity(`
pragma solidity ^0.8.0;
interface Token { function transferFrom(address, address, uint256) external; }
contract Imitation {
  struct Spent { uint8 itemType; address token; uint256 identifier; uint256 amount; }
  struct Received { uint8 itemType; address token; uint256 identifier; uint256 amount; address recipient; }
  event OrderFulfilled(bytes32 orderHash, address indexed offerer, address indexed zone, address recipient, Spent[] offer, Received[] consideration);
  function claim(Token token, address from, address to, uint256 id, uint256 price, bool moves) external {
    if (moves) token.transferFrom(from, to, id);
    Spent[] memory offer = new Spent[](1);
    offer[0] = Spent(2, address(token), id, 1);
    Received[] memory consideration = new Received[](1);
    consideration[0] = Received(0, address(0), 0, price, from);
    emit OrderFulfilled(bytes32(id), from, address(0), to, offer, consideration);
  }
}`)("Imitation");

test("sales do not depend on which function fulfils their orders; an imitation's sales are included only if it is configured", async () => {
  const { chain, seaport, art, accounts, order, mineOn } = market;
  const [anna, ben, cleo] = accounts;
  const artifact = seaportArtifact();
  // Two listings in one call.
  const pair = [0n, 1n].map((id) => order(anna, [erc721Item(art, id)], [withRecipient(anna, nativeItem((id + 1n) * ether))]));
  const fulfilment = {
    from: ben,
    to: seaport,
    gas,
    value: 3n * ether,
    data: encodeFulfillAvailableOrders(pair.map((listing) => ({ order: listing }))),
  };
  await mineOn(0, 9, { from: anna, to: seaport, gas, data: encodeValidate(pair) }, fulfilment);
  // fulfillBasicOrder() for one listing in native tokens, with a tip for cleo that anna did not sign.
  const basic = order(anna, [erc721Item(art, 2n)], [withRecipient(anna, nativeItem(ether))]);
  const parameters = {
    considerationToken: zeroAddress,
    considerationIdentifier: 0n,
    considerationAmount: ether,
    offerer: anna,
    zone: zeroAddress,
    offerToken: art,
    offerIdentifier: 2n,
    offerAmount: 1n,
    basicOrderType: 0,
    startTime: basic.startTime,
    endTime: basic.endTime,
    zoneHash: zeroHash,
    salt: basic.salt,
    offererConduitKey: zeroHash,
    fulfillerConduitKey: zeroHash,
    totalOriginalAdditionalRecipients: 0n,
    additionalRecipients: [{ amount: ether / 10n, recipient: cleo }],
    signature: await signOrder(basic, { chainId: 31337, address: seaport }, annaKey),
  };
  const data = encodeFunctionData({ abi: artifact.abi, functionName: "fulfillBasicOrder", args: [parameters] });
  await mineOn(0, 10, { from: ben, to: seaport, gas, value: (ether * 11n) / 10n, data });
  // Seaport computes the same order hash.
  expect(await readContract(chain, artifact, seaport, "getOrderHash", [basic], await chain.head())).toBe(orderHash(basic));
  // The imitation moves one token that anna approved, and claims a sale of another that did not move.
  const imitationAddress = toLower(await chain.deploy(imitation));
  const claim = (id: bigint, moves: boolean) => ({
    from: anna,
    gas,
    to: imitationAddress,
    data: encodeFunctionData({ abi: imitation.abi, functionName: "claim", args: [art, anna, cleo, id, ether / 1_000n, moves] }),
  });
  const approvalData = encodeFunctionData({
    abi: [
      {
        type: "function",
        name: "setApprovalForAll",
        inputs: [{ type: "address" }, { type: "bool" }],
        outputs: [],
        stateMutability: "nonpayable",
      },
    ],
    args: [imitationAddress, true],
  });
  await mineOn(1, 9, { from: anna, to: art, data: approvalData }, claim(3n, true), claim(4n, false));

  const testDatabase = await indexNftMarket(market);
  const line = (day: number, id: bigint, buyer: string, price: bigint) =>
    [day, art, id, 1, anna, buyer, nativeTokenAddress, price, false].join(" ");
  expect(await salesIn(testDatabase.database)).toEqual([
    line(0, 0n, ben, ether),
    line(0, 1n, ben, 2n * ether),
    line(0, 2n, ben, (ether * 11n) / 10n),
    line(1, 3n, cleo, ether / 1_000n),
  ]);
  for (const [marketplaces, count, floor] of [
    [[seaport], 3, 1],
    [[seaport, imitationAddress], 4, 0.001],
  ] as const) {
    const api = await serveNftMarket(
      testDatabase.database,
      market,
      marketplaces.map((address) => ({ protocol: "seaport" as const, address })),
    );
    const [counts, floors] = await Promise.all(
      ["sale_count", "floor_price"].map((operation) => api.get(`nft_market/${art}/${operation}/?days=3`)),
    );
    expect(counts.items.reduce((sum: number, { sale_count }: { sale_count: number }) => sum + sale_count, 0)).toBe(count);
    expect(floors.items[0].floor_price_native_quote).toBe(floor);
    await api.end();
  }
  await testDatabase.drop();
}, 60_000);

test("a private listing and a sweep of several listings are matched at the listings' prices", async () => {
  const { chain, seaport, art, coin, accounts, order, mineOn } = market;
  const [anna, ben, cleo] = accounts;
  // The listing is for cleo, who pays with an order without consideration; a third of the price is a fee.
  const shared = [withRecipient(anna, erc20Item(coin, 20n)), withRecipient(ben, erc20Item(coin, 10n))];
  const privateListing = order(anna, [erc721Item(art, 20n)], [...shared, withRecipient(cleo, erc721Item(art, 20n))]);
  const payment = order(cleo, [erc20Item(coin, 30n)], []);
  const privateMatch = encodeMatchOrders(
    [privateListing, payment].map((entry) => ({ order: entry })),
    [
      [
        [0, 0],
        [0, 2],
      ],
      [
        [1, 0],
        [0, 0],
      ],
      [
        [1, 0],
        [0, 1],
      ],
    ],
  );
  // Two sellers, one buyer.
  const listings = [order(anna, [erc721Item(art, 21n)], [withRecipient(anna, erc20Item(coin, 5n))])];
  await mineOn(2, 8, { from: anna, to: art, data: transferData(anna, ben, 22n) });
  listings.push(order(ben, [erc721Item(art, 22n)], [withRecipient(ben, erc20Item(coin, 95n))]));
  const purchase = order(
    cleo,
    [erc20Item(coin, 100n)],
    [withRecipient(cleo, erc721Item(art, 21n)), withRecipient(cleo, erc721Item(art, 22n))],
  );
  const sweep = encodeMatchOrders(
    [...listings, purchase].map((entry) => ({ order: entry })),
    [
      [
        [0, 0],
        [2, 0],
      ],
      [
        [1, 0],
        [2, 1],
      ],
      [
        [2, 0],
        [0, 0],
      ],
      [
        [2, 0],
        [1, 0],
      ],
    ],
  );
  const validate = [privateListing, payment, ...listings, purchase].map((entry) => ({
    from: entry.offerer,
    to: seaport,
    gas,
    data: encodeValidate([entry]),
  }));
  const head = await chain.head();
  await mineOn(2, 9, ...validate, { from: ben, to: seaport, gas, data: privateMatch }, { from: ben, to: seaport, gas, data: sweep });

  const testDatabase = await indexNftMarket(market);
  const line = (id: bigint, seller: string, price: bigint) => [2, art, id, 1, seller, cleo, coin, price, false].join(" ");
  expect(await salesIn(testDatabase.database, head)).toEqual([line(20n, anna, 30n), line(21n, anna, 5n), line(22n, ben, 95n)]);
  await testDatabase.drop();
}, 60_000);
