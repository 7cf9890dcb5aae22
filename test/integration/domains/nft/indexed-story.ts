import { pino } from "pino";
import supertest from "supertest";
import { zeroAddress } from "viem";
import { expect } from "vitest";
import { createApp } from "../../../../runtime/app.ts";
import { chainConfigSchema, configSchema } from "../../../../runtime/config/config.ts";
import { noKeyLimits } from "../../../../runtime/config/key-limits.ts";
import type { Database } from "../../../../runtime/database/database.ts";
import { nftProjection } from "../../../../runtime/domains/nft/projection.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { createKeys } from "../../../../runtime/http/keys.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import type { Deployed } from "../../../support/edge-cases/story-builder.ts";
import { chainOf, createTestIndexer } from "../../../support/indexer/support.ts";
import { buildNftStory, type NftStory } from "./story.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses are validated against the catalog; a test reads the fields that it expects
export type ResponseData = any;

export interface TestApi {
  /** Returns a response's data, or its error message if the expected status is an error. */
  get(path: string, status?: number): Promise<ResponseData>;
}

/** An id that existed at a height, with its owner and its first owner. */
interface KnownToken {
  readonly id: bigint;
  readonly owner: Address;
  readonly firstOwner: Address;
}

/** The story's chain, indexed and served as often as a test needs. */
export interface IndexedStory {
  readonly story: NftStory;
  readonly head: number;
  /** Creates an index that starts at a height and ends at the head. */
  open(from?: number): Promise<Database>;
  indexTo(database: Database, height: number, from?: number): Promise<void>;
  serve(database: Database): Promise<TestApi>;
  /** The ERC-721 collections. */
  collections(): readonly Deployed[];
  /** Reads an ERC-721 collection from the node: the ids that existed at each height. */
  historyOf(collection: Deployed, last: number): Promise<KnownToken[][]>;
  end(): Promise<void>;
}

/** Returns an item that must exist. */
export const itemAt = <Item>(items: readonly Item[], index: number): Item => {
  const item = items[index];
  if (item === undefined) throw new Error(`Missing item ${index}`);
  return item;
};

/** Each item's id, owner and first owner. */
export const ownershipOf = (items: ResponseData) =>
  items.map((item: ResponseData) => [item.nft_data.token_id, item.nft_data.current_owner, item.nft_data.original_owner]);

const historyOf = async (story: NftStory, collection: Deployed, last: number): Promise<KnownToken[][]> => {
  const firstOwners = new Map<bigint, Address>();
  const history: KnownToken[][] = [];
  for (let height = 0; height <= last; height += 1) {
    const owners = await story.ownersAt(collection, height);
    for (const [id, owner] of owners) if (owner !== zeroAddress && !firstOwners.has(id)) firstOwners.set(id, owner);
    history.push(
      [...firstOwners]
        .map(([id, firstOwner]) => ({ id, owner: owners.get(id) ?? zeroAddress, firstOwner }))
        .sort((left, right) => (left.id < right.id ? -1 : 1)),
    );
  }
  return history;
};

const serve = async (story: NftStory, database: Database, now: () => Date): Promise<TestApi & { end(): Promise<void> }> => {
  const { key } = await createKeys(database).create({ label: "test" });
  const http = createApp({
    config: configSchema.parse({ limits: { requestsPerSecond: 100_000, ...noKeyLimits } }),
    chains: [{ ...chainConfigSchema.parse({ name: "art", id: 31337, rpc: story.chain.url, groups: ["historical"] }), id: 31337 }],
    database,
    logger: pino({ level: "silent" }),
    validate: "strict",
    now,
  });
  return {
    get: async (path, status = 200) => {
      const response = await supertest(http.listener).get(`/v1/art/${path}`).set("Authorization", `Bearer ${key}`);
      expect(response.status, `${path}: ${response.body.error_message}`).toBe(status);
      return status === 200 ? response.body.data : response.body.error_message;
    },
    end: () => http.close(),
  };
};

/** Builds the story on its own chain. */
export const openIndexedStory = async (): Promise<IndexedStory> => {
  const story = await buildNftStory();
  const head = await story.chain.head();
  const now = new Date(((await story.timeOf(head)) + 3_600) * 1000);
  const databases: TestDatabase[] = [];
  const services: { end(): Promise<void> }[] = [];
  const indexTo = async (database: Database, height: number, from = 0): Promise<void> => {
    const indexer = await createTestIndexer(story.chain.url, database, {
      chain: chainOf({ from }),
      projections: [tokensProjection, nftProjection],
    });
    await indexer.runToHead(height);
    await indexer.close();
  };
  return {
    story,
    head,
    indexTo,
    open: async (from = 0) => {
      const testDatabase = await createTestDatabase();
      databases.push(testDatabase);
      await indexTo(testDatabase.database, head, from);
      return testDatabase.database;
    },
    serve: async (database) => {
      const service = await serve(story, database, () => now);
      services.push(service);
      return service;
    },
    collections: () => [story.art, story.oldArt, story.hybrid],
    historyOf: (collection, last) => historyOf(story, collection, last),
    end: async () => {
      await Promise.all(services.map((service) => service.end()));
      await Promise.all(databases.map((testDatabase) => testDatabase.drop()));
      await story.chain.stop();
    },
  };
};
