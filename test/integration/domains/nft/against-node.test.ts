import { pino } from "pino";
import supertest from "supertest";
import { zeroAddress } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createApp } from "../../../../runtime/app.ts";
import { chainConfig, config } from "../../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../../runtime/config/key-limits.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { nftProjection } from "../../../../runtime/domains/nft/projection.ts";
import { createNftQueries } from "../../../../runtime/domains/nft/queries/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import type { Deployed } from "../../../support/edge-cases/story-builder.ts";
import { chainOf, createTestIndexer } from "../../../support/indexer/support.ts";
import { buildNftStory, editionKey, type NftStory } from "./story.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses are validated against the catalog; a test reads the fields that it expects
type ResponseData = any;

let story: NftStory;
let head: number;
let nowSeconds: number;
const databases: TestDatabase[] = [];
const cleanups: (() => Promise<void>)[] = [];

const indexTo = async (database: Database, height: number, from = 0): Promise<void> => {
  const indexer = await createTestIndexer(story.chain.url, database, {
    chain: chainOf({ from }),
    projections: [tokensProjection, nftProjection],
  });
  await indexer.runToHead(height);
  await indexer.close();
};

const openIndex = async (from = 0): Promise<Database> => {
  const test = await createTestDatabase();
  databases.push(test);
  await indexTo(test.database, head, from);
  return test.database;
};

interface TestApi {
  get(path: string, status?: number): Promise<ResponseData>;
}

const serve = async (database: Database): Promise<TestApi> => {
  const { key } = await createKeys(database).create({ label: "test" });
  const http = createApp({
    config: config.parse({ limits: { requestsPerSecond: 100_000, ...noKeyLimits } }),
    chains: [{ ...chainConfig.parse({ name: "art", id: 31337, rpc: story.chain.url, groups: ["historical"] }), id: 31337 }],
    database,
    logger: pino({ level: "silent" }),
    validate: "strict",
    now: () => new Date(nowSeconds * 1000),
  });
  cleanups.push(() => http.close());
  return {
    get: async (path, status = 200) => {
      const response = await supertest(http.app).get(`/v1/art/${path}`).set("Authorization", `Bearer ${key}`);
      expect(response.status, `${path}: ${response.body.error_message}`).toBe(status);
      return status === 200 ? response.body.data : response.body.error_message;
    },
  };
};

/** An id that existed at a height, with its owner and its first owner. */
interface KnownToken {
  readonly id: bigint;
  readonly owner: Address;
  readonly firstOwner: Address;
}
/** Reads an ERC-721 collection from the node: the ids that existed at each height. */
const historyOf = async (collection: Deployed, last: number): Promise<KnownToken[][]> => {
  const firstOwners = new Map<bigint, Address>();
  const heights: KnownToken[][] = [];
  for (let height = 0; height <= last; height += 1) {
    const owners = await story.ownersAt(collection, height);
    for (const [id, owner] of owners) if (owner !== zeroAddress && !firstOwners.has(id)) firstOwners.set(id, owner);
    heights.push(
      [...firstOwners]
        .map(([id, receiver]) => ({ id, owner: owners.get(id) ?? zeroAddress, firstOwner: receiver }))
        .sort((left, right) => (left.id < right.id ? -1 : 1)),
    );
  }
  return heights;
};
const itemAt = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index];
  if (item === undefined) throw new Error(`Missing item ${index}`);
  return item;
};
const collections = () => [story.art, story.oldArt, story.hybrid];
const ownershipOf = (items: ResponseData) =>
  items.map((item: ResponseData) => [item.nft_data.token_id, item.nft_data.current_owner, item.nft_data.original_owner]);

beforeAll(async () => {
  story = await buildNftStory();
  head = await story.chain.head();
  nowSeconds = (await story.timeOf(head)) + 3_600;
}, 60_000);
afterAll(async () => {
  await Promise.all(cleanups.map((cleanup) => cleanup()));
  await Promise.all(databases.map((test) => test.drop()));
  await story?.chain.stop();
});

describe("indexed collections", () => {
  it("have the ids, owners and sizes of the contracts after every block", async () => {
    const nfts = createNftQueries(await openIndex());
    let burnt = 0;
    for (const collection of collections()) {
      const history = await historyOf(collection, head);
      for (const [height, tokens] of history.entries()) {
        const label = `${collection.address} at ${height}`;
        expect(await nfts.collectionSizeAt(31337, collection.address, height), label).toBe(tokens.length);
        const rows = await nfts.nftTokensAt(31337, collection.address, height, 100, 0);
        expect(
          rows.map((row) => [BigInt(row.token_id), row.original_owner]),
          label,
        ).toEqual(tokens.map(({ id, firstOwner }) => [id, firstOwner]));
        const owners = await nfts.nftOwnersAt(31337, collection.address, story.ids.map(String), height);
        expect(Object.fromEntries(owners), label).toEqual(Object.fromEntries(tokens.map(({ id, owner }) => [String(id), owner])));
        burnt += tokens.filter(({ owner }) => owner === zeroAddress).length;
      }
    }
    expect(burnt).toBeGreaterThan(0);
  });

  it("have the balances of each account by id after every block", async () => {
    const nfts = createNftQueries(await openIndex());
    for (const owner of Object.values(story.accounts)) {
      for (let height = 0; height <= head; height += 1) {
        const node = await story.editionsAt(height);
        const expected = story.editionIds
          .map((id) => [String(id), String(node.get(editionKey(owner, id)))])
          .filter(([, balance]) => balance !== "0");
        const rows = await nfts.idsHeldAt(31337, owner, story.editions.address, height, null);
        expect(
          rows.map((row) => [row.token_id, row.balance]),
          `${owner} at ${height}`,
        ).toEqual(expected);
        for (const collection of collections()) {
          const owners = await story.ownersAt(collection, height);
          const ids = [...owners].filter(([, holder]) => holder === owner).map(([id]) => String(id));
          const heldIds = await nfts.idsHeldAt(31337, owner, collection.address, height, null);
          expect(heldIds.map((row) => row.token_id)).toEqual(ids);
        }
      }
    }
  });

  it("count an id of an ERC-1155 collection once any units of it existed", async () => {
    const nfts = createNftQueries(await openIndex());
    const existing = new Set<bigint>();
    for (let height = 0; height <= head; height += 1) {
      for (const [key, balance] of await story.editionsAt(height)) if (balance > 0n) existing.add(BigInt(key.split(" ")[1] ?? 0));
      expect(await nfts.collectionSizeAt(31337, story.editions.address, height), `at ${height}`).toBe(existing.size);
    }
    // Ids 777 and 778 occur only in events of zero units.
    expect(existing).toEqual(new Set([1n, 2n, 3n, 2n ** 256n - 1n]));
  });
});

describe("collections in responses", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await serve(await openIndex());
  });

  it("list their tokens with owner and first owner, and return each by its id", async () => {
    for (const collection of collections()) {
      const tokens = itemAt(await historyOf(collection, head), head);
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
    const everything = [...collections(), story.editions];
    for (const owner of Object.values(story.accounts)) {
      const balances = async (height: number) => {
        const editions = await story.editionsAt(height);
        const editionBalances = story.editionIds
          .map((id) => [id, editions.get(editionKey(owner, id)) ?? 0n] as const)
          .filter(([, balance]) => balance > 0n);
        const ownedIds = await Promise.all(
          collections().map(async (collection) => {
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

  it("list the ids of a balance with their known data", async () => {
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
    const api = await serve(await openIndex(from));
    const before = new Set(itemAt(await historyOf(story.art, from - 1), from - 1).map(({ id }) => id));
    const tokens = itemAt(await historyOf(story.art, head), head);
    const data = await api.get(`nft/${story.art.address}/metadata/`);
    // All ids of the collection have moved since then; the first owner of older ones is unknown.
    expect(ownershipOf(data.items)).toEqual(
      tokens.map(({ id, owner, firstOwner }) => [String(id), owner, before.has(id) ? null : firstOwner]),
    );
    expect(data.indexed_from).toBe(from);
    // Old Art's first id has not moved since then, so its existence is unknown.
    const unmoved = await api.get(`nft/${story.oldArt.address}/metadata/1/`);
    expect(ownershipOf(unmoved.items)).toEqual([["1", null, null]]);
    const balances = await api.get(`address/${story.accounts.alice}/balances_nft/`);
    expect(balances.indexed_from).toBe(from);
    const ids = balances.items.find((item: ResponseData) => item.contract_address === story.art.address).nft_data;
    expect(ids.map((id: ResponseData) => id.token_id)).toEqual(["0", "1"]);
  });
});

describe("a reorganisation", () => {
  it("rolls back ids, owners and sizes", async () => {
    const test = await createTestDatabase();
    databases.push(test);
    await indexTo(test.database, head);
    const before = itemAt(await historyOf(story.art, head), head);
    // The last four blocks had a burn, transfers and mints; the blocks that replace them are empty.
    await story.chain.rpc("anvil_reorg", [4, []]);
    await story.chain.mine();
    const height = await story.chain.head();
    await indexTo(test.database, height);
    const nfts = createNftQueries(test.database);
    for (const collection of collections()) {
      const tokens = itemAt(await historyOf(collection, height), height);
      const rows = await nfts.nftTokensAt(31337, collection.address, height, 100, 0);
      expect(rows.map((row) => [BigInt(row.token_id), row.original_owner])).toEqual(tokens.map(({ id, firstOwner }) => [id, firstOwner]));
      expect(await nfts.collectionSizeAt(31337, collection.address, height)).toBe(tokens.length);
      const owners = await nfts.nftOwnersAt(31337, collection.address, story.ids.map(String), height);
      expect(Object.fromEntries(owners)).toEqual(Object.fromEntries(tokens.map(({ id, owner }) => [String(id), owner])));
    }
    expect(itemAt(await historyOf(story.art, height), height)).not.toEqual(before);
  });
});
