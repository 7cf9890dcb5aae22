import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ResolverContext } from "../../../../runtime/api/context.ts";
import { getResolvedAddress } from "../../../../runtime/api/names/get-resolved-address.ts";
import { namesProjection } from "../../../../runtime/domains/names/projection.ts";
import { createNameQueries, registriesOfChain } from "../../../../runtime/domains/names/queries/index.ts";
import { createNameResolution } from "../../../../runtime/domains/names/resolve-name.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import { deployNames, type NameService } from "./support.ts";

const chainId = 31337;
let chain: TestChain;
let names: NameService;
let testDatabase: TestDatabase;
let alice: Address;
let bob: Address;
let carol: Address;

beforeAll(async () => {
  chain = await startTestChain();
  testDatabase = await createTestDatabase();
  [alice, bob, carol] = chain.accounts.slice(1, 4).map((account) => account.toLowerCase()) as [Address, Address, Address];
  names = await deployNames(chain);
});
afterAll(async () => {
  await testDatabase?.drop();
  await chain?.stop();
});

const indexToHead = async () => {
  const running = await createTestIndexer(chain.url, testDatabase.database, { projections: [namesProjection] });
  await running.runToHead(await chain.head());
  await running.close();
};
const queries = (...registries: Address[]) =>
  createNameQueries(testDatabase.database, () => registries.map((registry) => registry.toLowerCase() as Address));

/** Resolves a name in the index and on the node, and expects the same result. */
const resolveOnBoth = async (name: string): Promise<Address | null> => {
  const [indexed, returned] = [await queries(names.registry).resolveName(chainId, name), await names.resolveOnChain(name)];
  expect(indexed).toBe(returned);
  return indexed;
};

describe("names of a registry", () => {
  it("resolve through the resolver that the registry stores", async () => {
    await names.register("alice.eth");
    await names.setAddress("alice.eth", alice);
    await names.register("wallet.alice.eth");
    await names.setAddress("wallet.alice.eth", bob);
    await names.register("empty.eth");
    await indexToHead();
    expect(await resolveOnBoth("alice.eth")).toBe(alice);
    expect(await resolveOnBoth("wallet.alice.eth")).toBe(bob);
    expect(await resolveOnBoth("empty.eth")).toBeNull();
    expect(await resolveOnBoth("nobody.eth")).toBeNull();
  });

  it("are found by their normal form (ENSIP-15)", async () => {
    const { resolveName } = queries(names.registry);
    expect(await resolveName(chainId, "ALICE.eth")).toBe(alice);
    expect(await resolveName(chainId, "al\u0456ce.eth")).toBeNull();
    expect(await resolveName(chainId, "alice..eth")).toBeNull();
  });

  it("follow the registry to another resolver, even if that resolver received its records earlier", async () => {
    await names.register("moved.eth");
    await names.setAddress("moved.eth", alice);
    await names.setAddress("moved.eth", bob, names.otherResolver);
    await indexToHead();
    expect(await resolveOnBoth("moved.eth")).toBe(alice);
    await names.register("moved.eth", names.otherResolver);
    await indexToHead();
    expect(await resolveOnBoth("moved.eth")).toBe(bob);
    await names.setAddress("moved.eth", alice);
    await indexToHead();
    expect(await resolveOnBoth("moved.eth")).toBe(bob);
    await names.register("moved.eth", "0x0000000000000000000000000000000000000000");
    await indexToHead();
    expect(await resolveOnBoth("moved.eth")).toBeNull();
  });

  it("do not resolve after their address was removed", async () => {
    await names.register("gone.eth");
    await names.setAddress("gone.eth", alice);
    await names.setAddress("gone.eth", "0x0000000000000000000000000000000000000000");
    await indexToHead();
    expect(await resolveOnBoth("gone.eth")).toBeNull();
  });

  it("are rolled back with a reorganisation", async () => {
    await names.register("back.eth");
    await names.setAddress("back.eth", alice);
    await indexToHead();
    await names.setAddress("back.eth", bob);
    await indexToHead();
    expect(await resolveOnBoth("back.eth")).toBe(bob);
    await chain.rpc("anvil_reorg", [1, []]);
    await indexToHead();
    expect(await resolveOnBoth("back.eth")).toBe(alice);
  });

  it("are read from the fallback registry if the first one never had them", async () => {
    const newer = await deployNames(chain);
    await names.register("old.eth");
    await names.setAddress("old.eth", carol);
    await indexToHead();
    const { resolveName } = queries(newer.registry, names.registry);
    expect(await resolveName(chainId, "old.eth")).toBe(carol);
    expect(await queries(newer.registry).resolveName(chainId, "old.eth")).toBeNull();
    await newer.register("old.eth", null);
    await indexToHead();
    expect(await resolveName(chainId, "old.eth")).toBeNull();
  });

  it("do not resolve on a chain without a registry", async () => {
    expect(await queries().resolveName(chainId, "alice.eth")).toBeNull();
    expect(await queries().namesOf(chainId, [alice])).toEqual(new Map());
    expect(registriesOfChain({ nameRegistryFallback: alice, nameRegistry: bob })).toEqual([bob, alice]);
  });

  it("resolve on the first chain that has them if the path names no chain", async () => {
    const { resolveName } = queries(names.registry);
    const resolve = createNameResolution(
      { resolveName: (id, name) => (id === chainId ? resolveName(id, name) : Promise.resolve(null)) },
      [{ id: 1 }, { id: chainId }],
      async () => undefined,
    );
    expect(await resolve(null, "alice.eth")).toBe(alice);
    expect(await resolve({ id: 1 }, "alice.eth")).toBeNull();
  });
});

describe("primary names of addresses", () => {
  const namesOf = async (...addresses: Address[]) => [...(await queries(names.registry).namesOf(chainId, addresses))];

  it("are returned if they resolve to the address", async () => {
    await names.claim(alice, "alice.eth");
    await names.claim(bob, "alice.eth");
    await indexToHead();
    expect(await namesOf(alice, bob, carol)).toEqual([[alice, "alice.eth"]]);
  });

  it("are returned for an address (null if it has none); for a name, the name itself is returned", async () => {
    const context = { names: queries(names.registry), contentTime: () => new Date(1_700_000_000_000) } as unknown as ResolverContext;
    const resolveAddress = (walletAddress: Address, walletAddressName: string | null = null) =>
      getResolvedAddress({ chain: { id: chainId, name: "test" }, walletAddress, walletAddressName, format: "json" }, context);
    expect(await resolveAddress(alice)).toEqual({
      updated_at: "2023-11-14T22:13:20Z",
      chain_id: chainId,
      chain_name: "test",
      items: [{ address: alice, name: "alice.eth" }],
    });
    expect((await resolveAddress(bob)).items).toEqual([{ address: bob, name: null }]);
    expect((await resolveAddress(alice, "other.alice.eth")).items).toEqual([{ address: alice, name: "other.alice.eth" }]);
  });

  it("are returned in their normal form only", async () => {
    await names.claim(alice, "Alice.eth");
    await indexToHead();
    expect(await namesOf(alice)).toEqual([]);
  });

  it.each([
    ["empty", ""],
    ["a name with a NUL", "alice\0.eth"],
    ["a name with characters that need escaping in arrays and HTML", 'al,i"c}e\\.eth<script>'],
    ["thousands of characters long", `${"a".repeat(4_000)}.eth`],
  ])("are omitted when they are %s, and indexing continues", async (_, name) => {
    await names.claim(alice, name);
    await indexToHead();
    expect(await namesOf(alice)).toEqual([]);
    await names.claim(alice, "alice.eth");
    await indexToHead();
    expect(await namesOf(alice)).toEqual([[alice, "alice.eth"]]);
  });

  it("are omitted after the name resolves to another address", async () => {
    await names.setAddress("alice.eth", carol);
    await indexToHead();
    expect(await namesOf(alice, carol)).toEqual([]);
    await names.claim(carol, "alice.eth");
    await indexToHead();
    expect(await namesOf(alice, carol)).toEqual([[carol, "alice.eth"]]);
  });
});
