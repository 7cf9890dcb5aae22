import { type Abi, type AbiFunction, decodeEventLog, decodeFunctionResult, encodeFunctionData, parseAbiItem } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostileTokens } from "../../../demo/chapters/hostile-tokens.ts";
import { loadArtifacts } from "../../../demo/contracts/artifacts.ts";
import { createNodeClient, type NodeClient } from "../../../demo/node/client.ts";
import type { Demo } from "../../../demo/types.ts";
import type { Address, Hash, Hex } from "../../../runtime/lib/hex.ts";
import { startStory } from "../../support/story.ts";

interface Log {
  readonly topics: [Hash, ...Hash[]];
  readonly data: Hex;
  readonly transactionHash: Hash;
}
interface Item {
  readonly itemType: number;
  readonly token: Address;
  readonly identifier: bigint;
  readonly amount: bigint;
}
interface Sale {
  readonly transaction: Hash;
  readonly offerer: Address;
  readonly recipient: Address;
  readonly offer: readonly Item[];
  readonly consideration: readonly (Item & { readonly recipient: Address })[];
}

const idsPerBatch = 100;
const [nativeItem, coinItem, uniqueItem, editionItem] = [0, 1, 2, 3];
const zeroAddress = `0x${"0".repeat(40)}`;
/** The topics of Transfer(address,address,uint256) and Approval(address,address,uint256). */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const approvalTopic = "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925";

describe("collections in the complete demo story", () => {
  let demo: Demo;
  let client: NodeClient;
  let sales: readonly Sale[];
  let uris: readonly (string | null)[];
  const storyValue = (name: string): Address => demo.story.values[name] as Address;
  const wordOf = (address: Address): Hex => `0x${address.slice(2).padStart(64, "0")}`;
  const logsOf = (address: Address, topics: readonly (Hex | null)[] = []) =>
    client.request<readonly Log[]>("eth_getLogs", [{ address, topics, fromBlock: "0x0", toBlock: "latest" }]);
  const call = async <Result>(to: Address, signature: string, parameters: readonly unknown[] = []): Promise<Result> => {
    const abi: Abi = [parseAbiItem(signature) as AbiFunction];
    const data = await client.request<Hex>("eth_call", [{ to, data: encodeFunctionData({ abi, args: parameters }) }, "latest"]);
    return decodeFunctionResult({ abi, data }) as Result;
  };
  const uriOf = (collection: Address, id: bigint): Promise<string | null> =>
    call<string>(collection, "function tokenURI(uint256) view returns (string)", [id]).catch(() => null);

  beforeAll(async () => {
    demo = await startStory();
    client = createNodeClient(demo.rpcUrl);
    const { seaport } = loadArtifacts();
    sales = (await logsOf(storyValue("seaport"))).flatMap(({ topics, data, transactionHash }) => {
      const { eventName, args } = decodeEventLog({ abi: seaport.abi, topics, data });
      if (eventName !== "OrderFulfilled") return [];
      const sale = { ...(args as unknown as Sale), transaction: transactionHash };
      return [{ ...sale, offerer: sale.offerer.toLowerCase() as Address, recipient: sale.recipient.toLowerCase() as Address }];
    });
    const storedUris: (string | null)[] = [];
    for (let first = 1; first <= 2_000; first += idsPerBatch)
      storedUris.push(
        ...(await Promise.all(
          Array.from({ length: idsPerBatch }, (_, index) => uriOf(storyValue("gardenCollection"), BigInt(first + index))),
        )),
      );
    uris = storedUris;
  });
  afterAll(async () => {
    await client?.close();
    await demo?.stop();
  });

  it("include 2,000 plants minted in forty transactions, some of them burned later", async () => {
    const minted = await logsOf(storyValue("gardenCollection"), [transferTopic, wordOf(zeroAddress as Address)]);
    expect(minted).toHaveLength(2_000);
    expect(new Set(minted.map(({ transactionHash }) => transactionHash)).size).toBe(40);
    const burned = await logsOf(storyValue("gardenCollection"), [transferTopic, null, wordOf(zeroAddress as Address)]);
    expect(burned.length).toBeGreaterThan(0);
    expect(uris.filter((uri) => uri === null)).toHaveLength(burned.length);
  });

  it("store each plant's metadata on the chain, with common, optional and unusual traits", () => {
    const documents = uris.map((uri) =>
      uri === null
        ? null
        : (JSON.parse(Buffer.from(uri.replace("data:application/json;base64,", ""), "base64").toString()) as Record<string, unknown>),
    );
    const shapes = new Map<string, number>();
    const count = (shape: string) => shapes.set(shape, (shapes.get(shape) ?? 0) + 1);
    documents.forEach((document, index) => {
      if (document === null) return;
      const id = index + 1;
      expect(document.name).toBe(`Plant #${id}`);
      const { attributes } = document;
      // Four in a hundred plants have no attribute list, as the contract's comment states.
      expect(Array.isArray(attributes)).toBe(![23, 43, 63, 83].includes(id % 100));
      if (!Array.isArray(attributes)) return;
      for (const { trait_type: trait, display_type: display, value } of attributes as Record<string, unknown>[])
        count(`${trait} ${display} ${typeof value}`);
    });
    const listed = documents.filter((document) => Array.isArray(document?.attributes)).length;
    for (const shape of ["Species undefined string", "Bloom undefined string", "Height number number", "Petals undefined number"])
      expect(shapes.get(shape), shape).toBe(listed);
    expect(shapes.get("Planted date number")).toBe(listed);
    // About three in four plants, one in three and one in five have these traits.
    expect((shapes.get("Soil undefined string") ?? 0) / listed).toBeCloseTo(3 / 4, 1);
    expect((shapes.get("Growth boost_percentage number") ?? 0) / listed).toBeCloseTo(1 / 3, 1);
    expect((shapes.get("Vigour boost_number number") ?? 0) / listed).toBeCloseTo(1 / 5, 1);
    for (const shape of [
      "undefined undefined string",
      "Evergreen undefined boolean",
      "Companions undefined object",
      "Grafts undefined string",
      "Rows undefined undefined",
    ])
      expect(shapes.get(shape) ?? 0, shape).toBeGreaterThan(10);
  });

  it("are sold for native and wrapped ether, by listings and bids, with a fee and a royalty", () => {
    expect(sales.length).toBeGreaterThan(300);
    const [fees, artist] = [storyValue("marketFees"), storyValue("gardener")];
    const salesPaidIn = (type: number | undefined) =>
      sales.filter(
        ({ offer, consideration }) =>
          offer.every(({ itemType }) => itemType === uniqueItem) &&
          consideration.length === 3 &&
          consideration.every(({ itemType }) => itemType === type),
      );
    expect(salesPaidIn(nativeItem).length).toBeGreaterThan(120);
    expect(salesPaidIn(coinItem).length).toBeGreaterThan(40);
    for (const { consideration } of [...salesPaidIn(nativeItem), ...salesPaidIn(coinItem)]) {
      const total = consideration.reduce((sum, { amount }) => sum + amount, 0n);
      const share = (recipient: Address) =>
        consideration.slice(1).find((item) => item.recipient.toLowerCase() === recipient && item.amount > 0n)?.amount;
      expect([share(fees), share(artist)]).toEqual([total / 40n, total / 20n]);
    }
    const bids = sales.filter(({ offer }) => offer.some(({ itemType }) => itemType === coinItem));
    expect(bids.length).toBeGreaterThan(20);
  });

  it("are sold in bundles, partial fills and pairs of listings in one transaction, and include a plant that is sold repeatedly", async () => {
    const bundles = sales.filter(({ offer }) => offer.length === 3);
    expect(bundles.length).toBeGreaterThan(5);
    expect(bundles.at(-1)?.transaction).toBe(demo.story.values.bundleTransaction);
    expect(sales.filter(({ offer }) => new Set(offer.map(({ token }) => token)).size === 2).length).toBeGreaterThan(2);
    const soldAmounts = sales
      .filter(({ offer }) => offer.length === 1 && offer[0]?.itemType === editionItem)
      .map(({ offer }) => offer[0]?.amount);
    // Of ten prints, three are sold, then four, then two.
    expect(new Set(soldAmounts)).toEqual(new Set([3n, 4n, 2n]));
    const edition = BigInt(demo.story.values.tradedEditionId ?? "");
    expect(sales.filter(({ offer }) => offer[0]?.identifier === edition && offer[0].itemType === editionItem).length).toBeGreaterThan(5);
    const inSameTransaction = sales.filter(({ transaction }, index) => sales[index + 1]?.transaction === transaction);
    expect(inSameTransaction.length).toBeGreaterThan(5);
    const salesOfToken = sales.filter(({ offer, consideration }) =>
      [...offer, ...consideration].some(
        ({ token, identifier }) =>
          token.toLowerCase() === storyValue("gardenCollection") && identifier === BigInt(demo.story.values.tradedTokenId ?? ""),
      ),
    );
    expect(salesOfToken.map(({ offerer }) => offerer)).toEqual([
      storyValue("gardener"),
      storyValue("trader"),
      storyValue("trader"),
      storyValue("nftBuyer"),
    ]);
    expect(salesOfToken[2]?.transaction).toBe(demo.story.values.saleTransaction);
  });

  it("are sold back and forth between two accounts, and by one of them to itself", () => {
    const [first, second] = [storyValue("washTrader"), storyValue("otherWashTrader")];
    const countSales = (from: Address, to: Address) =>
      sales.filter(({ offerer, recipient }) => offerer === from && recipient === to).length;
    expect(countSales(first, first)).toBe(6);
    expect(countSales(first, second)).toBeGreaterThan(5);
    expect(countSales(second, first)).toBe(countSales(first, second));
  });

  it("are traded by accounts with permits for unlimited allowances, and for one that is spent without an event", async () => {
    const [coin, gardener, trader, collector] = [
      storyValue("permitToken"),
      storyValue("gardener"),
      storyValue("trader"),
      storyValue("collector"),
    ];
    const allowance = (owner: Address, spender: Address) =>
      call<bigint>(coin, "function allowance(address,address) view returns (uint256)", [owner, spender]);
    expect(await call<bigint>(coin, "function nonces(address) view returns (uint256)", [gardener])).toBeGreaterThan(20n);
    // The allowance remains unlimited after use.
    expect(await allowance(gardener, trader)).toBe(2n ** 256n - 1n);
    const approvals = await logsOf(coin, [approvalTopic, wordOf(collector), wordOf(trader)]);
    expect(approvals.map(({ data }) => BigInt(data))).toEqual([100n * 10n ** 18n]);
    expect(await allowance(collector, trader)).toBe(0n);
  });

  it("have token approvals, and operator approvals for the marketplace", async () => {
    const [garden, collector] = [storyValue("gardenCollection"), storyValue("collector")];
    const approved = await call<Address>(garden, "function getApproved(uint256) view returns (address)", [
      BigInt(demo.story.values.gardenTokenId ?? ""),
    ]);
    expect(approved).not.toBe(zeroAddress);
    const isApprovedForAll = "function isApprovedForAll(address,address) view returns (bool)";
    expect(await call<boolean>(garden, isApprovedForAll, [collector, storyValue("seaport")])).toBe(true);
    expect(await call<boolean>(garden, isApprovedForAll, [collector, storyValue("marketMaker")])).toBe(false);
  });

  it("have metadata documents on the demo gateway", async () => {
    const uri = await uriOf(storyValue("gatewayCollection"), 7n);
    expect(uri).toMatch(/^ipfs:\/\/[a-z0-9]{59}\/7$/);
    const [gateway] = demo.chain.nfts.ipfsGateways;
    const response = await fetch(`${gateway}/ipfs/${uri?.replace("ipfs://", "")}`);
    expect(await response.json()).toMatchObject({ name: "Harbor Lantern #7" });
  });

  it("have a token for every kind of hostile metadata, and harmless ones in between", async () => {
    const hostile = storyValue("hostileCollection");
    const kinds = hostileTokens.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "harmless").length).toBeGreaterThan(10);
    expect(new Set(kinds).size).toBe(kinds.filter((kind) => kind !== "harmless").length + 1);
    for (const [index, { kind, response, uri, length }] of hostileTokens.entries()) {
      const returnedUri = await uriOf(hostile, BigInt(index + 1));
      const expected = response === "uri" ? uri : response === "long" ? uri + "a".repeat(length) : null;
      expect(returnedUri, kind).toBe(expected);
    }
  });
});
