import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IndexedStory, itemAt, openIndexedStory, ownershipOf, type ResponseData, type TestApi } from "./indexed-story.ts";
import { editionKey, type NftStory } from "./story.ts";

let index: IndexedStory;
let story: NftStory;
let head: number;
beforeAll(async () => {
  index = await openIndexedStory();
  ({ story, head } = index);
});
afterAll(() => index?.end());

describe("collections in responses", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await index.serve(await index.open());
  });

  it("list their tokens with owner and first owner, and return each by its id", async () => {
    for (const collection of index.collections()) {
      const tokens = itemAt(await index.historyOf(collection, head), head);
      const data = await api.get(`nft/${collection.address}/metadata/`);
      expect(ownershipOf(data.items)).toEqual(tokens.map(({ id, owner, firstOwner }) => [String(id), owner, firstOwner]));
      expect(data.pagination.total_count).toBe(tokens.length);
      for (const { id, owner, firstOwner } of tokens) {
        const { items, pagination } = await api.get(`nft/${collection.address}/metadata/${id}/`);
        expect(ownershipOf(items)).toEqual([[String(id), owner, firstOwner]]);
        expect(pagination).toBeNull();
      }
    }
    const editions = await api.get(`nft/${story.editions.address}/metadata/`);
    expect(editions.items.map((item: ResponseData) => item.nft_data.current_owner)).toEqual([null, null, null, null]);
    expect(await api.get(`nft/${story.art.address}/metadata/999/`, 404)).toMatch(/999/);
    expect(await api.get(`nft/${story.editions.address}/metadata/777/`, 404)).toMatch(/777/);
  });

  it("are listed for a wallet with their ids, now and a day ago", async () => {
    const everything = [...index.collections(), story.editions];
    for (const owner of Object.values(story.accounts)) {
      const balances = async (height: number) => {
        const editions = await story.editionsAt(height);
        const editionBalances = story.editionIds
          .map((id) => [id, editions.get(editionKey(owner, id)) ?? 0n] as const)
          .filter(([, balance]) => balance > 0n);
        const ownedIds = await Promise.all(
          index.collections().map(async (collection) => {
            const owners = await story.ownersAt(collection, height);
            return [...owners].filter(([, holder]) => holder === owner).map(([id]) => [id, 1n] as const);
          }),
        );
        return new Map(everything.map(({ address }, position) => [address, ownedIds[position] ?? editionBalances]));
      };
      const sum = (ids: readonly (readonly [bigint, bigint])[] = []) => String(ids.reduce((total, [, balance]) => total + balance, 0n));
      const [now, before] = [await balances(head), await balances(story.dayAgo)];
      const { items } = await api.get(`address/${owner}/balances_nft/`);
      const expected = everything
        .filter(({ address }) => (now.get(address) ?? []).length > 0)
        .sort((left, right) => (left.address < right.address ? -1 : 1))
        .map(({ address }) => [
          address,
          sum(now.get(address)),
          sum(before.get(address)),
          (now.get(address) ?? []).map(([id]) => String(id)),
        ]);
      expect(
        items.map((item: ResponseData) => [
          item.contract_address,
          item.balance,
          item.balance_24h,
          item.nft_data.map((data: ResponseData) => data.token_id),
        ]),
        owner,
      ).toEqual(expected);
      for (const { address } of everything) {
        const owned = await api.get(`address/${owner}/collection/${address}/`);
        const idsBefore = new Map(before.get(address));
        expect(
          owned.items.map((item: ResponseData) => [item.token_id, item.balance, item.balance_24h]),
          `${address} of ${owner}`,
        ).toEqual((now.get(address) ?? []).map(([id, balance]) => [String(id), String(balance), String(idsBefore.get(id) ?? 0n)]));
        for (const id of [...story.ids, ...story.editionIds]) {
          const response = await api.get(`address/${owner}/collection/${address}/token/${id}/`);
          expect(response.items.length, `${address} ${id} of ${owner}`).toBe(
            (now.get(address) ?? []).some(([ownedId]) => ownedId === id) ? 1 : 0,
          );
        }
      }
    }
  });

  it("report when a wallet's collection and id last moved", async () => {
    const { alice } = story.accounts;
    // Two blocks after the pause, alice sent token 1 to herself and got token 0 back.
    const time = new Date((await story.timeOf(story.dayAgo + 3)) * 1000).toISOString().replace(".000Z", "Z");
    const { items } = await api.get(`address/${alice}/collection/${story.art.address}/`);
    expect(items.map((item: ResponseData) => [item.token_id, item.last_transfered_at])).toEqual([
      ["0", time],
      ["1", time],
    ]);
    const all = (await api.get(`address/${alice}/balances_nft/`)).items;
    expect(all.find((item: ResponseData) => item.contract_address === story.art.address).last_transfered_at).toBe(time);
  });

  it("name both standards of an ERC-20 and ERC-721 contract, and count only its NFTs", async () => {
    const { carol } = story.accounts;
    const item = (await api.get(`address/${carol}/balances_nft/`)).items.find(
      (entry: ResponseData) => entry.contract_address === story.hybrid.address,
    );
    expect([item.supports_erc, item.balance]).toEqual([["erc20", "erc721"], "1"]);
  });

  it("list an id's transactions, newest first, with all logs", async () => {
    // All logs are the contract's: no other contract emits in these transactions.
    for (const [collection, id] of [
      [story.art, 0n],
      [story.oldArt, 2n ** 256n - 1n],
      [story.hybrid, 1n],
    ] as const) {
      const [item] = (await api.get(`tokens/${collection.address}/nft_transactions/${id}/`)).items;
      const logs = await story.chain.rpc<{ transactionHash: string; data: string; topics: string[] }[]>("eth_getLogs", [
        { address: collection.address, fromBlock: "0x0", toBlock: "latest" },
      ]);
      const word = id.toString(16).padStart(64, "0");
      // The id is the last topic or, in the contract that predates ERC-721, the last word of the data.
      const logsOfId = logs.filter(({ topics, data }) => topics[3] === `0x${word}` || (topics.length === 1 && data.endsWith(word)));
      const hashes = [...new Set(logsOfId.map((log) => log.transactionHash))].reverse();
      expect(hashes.length).toBeGreaterThan(1);
      expect(item.nft_transactions.map((transaction: ResponseData) => transaction.tx_hash)).toEqual(hashes);
      for (const { tx_hash, log_events } of item.nft_transactions) {
        const receipt = await story.chain.rpc<{ logs: unknown[] }>("eth_getTransactionReceipt", [tx_hash]);
        expect(log_events.length).toBe(receipt.logs.length);
        expect(log_events[0].decoded.name).toBe("Transfer");
      }
    }
    const [untouched] = (await api.get(`tokens/${story.art.address}/nft_transactions/12345/`)).items;
    expect(untouched.nft_transactions).toEqual([]);
  });

  it("list a balance's ids with their known data", async () => {
    const { bob } = story.accounts;
    const { items } = await api.get(`address/${bob}/balances_v2/?nft=true`);
    const editions = items.find((item: ResponseData) => item.contract_address === story.editions.address);
    // Bob received both ids from Alice, their first owner.
    expect(editions.nft_data.map((data: ResponseData) => [data.token_id, data.token_balance, data.original_owner, data.burned])).toEqual([
      ["1", "4", story.accounts.alice, false],
      ["2", "2", story.accounts.alice, false],
    ]);
  });
});

describe("an index that starts late", () => {
  it("lists the ids that have moved since its first block, with their owners, and null for unknown values", async () => {
    const from = story.dayAgo + 1;
    const api = await index.serve(await index.open(from));
    const before = new Set(itemAt(await index.historyOf(story.art, from - 1), from - 1).map(({ id }) => id));
    const tokens = itemAt(await index.historyOf(story.art, head), head);
    const data = await api.get(`nft/${story.art.address}/metadata/`);
    // All of the collection's ids have moved since the first indexed block; the first owner of older ids is unknown.
    expect(ownershipOf(data.items)).toEqual(
      tokens.map(({ id, owner, firstOwner }) => [String(id), owner, before.has(id) ? null : firstOwner]),
    );
    expect(data.indexed_from).toBe(from);
    // Old Art's first id has not moved since that block, so its existence is unknown.
    const unmoved = await api.get(`nft/${story.oldArt.address}/metadata/1/`);
    expect(ownershipOf(unmoved.items)).toEqual([["1", null, null]]);
    const balances = await api.get(`address/${story.accounts.alice}/balances_nft/`);
    expect(balances.indexed_from).toBe(from);
    const ids = balances.items.find((item: ResponseData) => item.contract_address === story.art.address).nft_data;
    expect(ids.map((id: ResponseData) => id.token_id)).toEqual(["0", "1"]);
  });
});
