import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { createRpc } from "../../../../runtime/chain/rpc.ts";
import { auditProtocols } from "../../../../runtime/domains/community/audit/audit-protocols.ts";
import { createDeclaredFold } from "../../../../runtime/domains/community/projection/index.ts";
import { foldLogsOf } from "../../../../runtime/domains/community/stored-logs.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { type CommunityIndex, startCommunityIndex } from "./support.ts";
import { testReorganisations } from "./test-reorganisations.ts";
import { createVault, type Market, startMarket } from "./vault-market.ts";
import { listedVaults, listVault, mineToReading, priceEvery, registries } from "./vault-registry.ts";

describe("contracts that a read lists", () => {
  const random = createRandom("listed vaults");
  let chain: TestChain;
  let market: Market;
  let registry: Address;
  let testDatabase: TestDatabase;
  let index: CommunityIndex;

  beforeAll(async () => {
    chain = await startTestChain();
    market = await startMarket(chain);
    registry = await chain.deploy(registries("Registry"));
    testDatabase = await createTestDatabase();
    index = await startCommunityIndex(chain, testDatabase.database, { protocols: [listedVaults(registry)] });
  });
  afterAll(async () => {
    await index?.end();
    await testDatabase?.drop();
    await chain?.stop();
  });

  const trade = async (blocks: number): Promise<void> => {
    for (let block = 0; block < blocks; block += 1) {
      await chain.send(...Array.from({ length: 4 }, () => market.randomTransaction(random)));
      await chain.mine();
    }
  };
  const storedContracts = () =>
    testDatabase.database.query<{ address: Address; block_number: number }>(
      "SELECT address, block_number FROM cq_listed.contracts WHERE chain_id = 31337 AND kind = 'vault' ORDER BY block_number, address",
    );
  const storedDeposits = () =>
    testDatabase.database.query<{ contract: Address; block_number: number; log_index: number; assets: string }>(
      "SELECT contract, block_number, log_index, assets FROM cq_listed.deposits ORDER BY block_number, log_index",
    );
  /** The vaults' Deposit logs on the node, as rows. */
  const depositsOf = async (vaults: readonly Address[]) => {
    // keccak256 of Deposit(address,address,uint256,uint256), EIP-4626.
    const topics = ["0xdcbc1c05240f31ff3ad067ef1ee35ce4997762752e3a095284754544f4c709d7"];
    const logs = await chain.rpc<{ blockNumber: Hex; logIndex: Hex; address: Address; data: Hex }[]>("eth_getLogs", [
      { fromBlock: "0x0", toBlock: "latest", address: vaults, topics },
    ]);
    return logs.map(({ blockNumber, logIndex, address, data }) => ({
      contract: address,
      block_number: Number(blockNumber),
      log_index: Number(logIndex),
      assets: String(BigInt(data.slice(0, 66))),
    }));
  };

  it("have events from all stored blocks, including those before they were listed", async () => {
    const [first, second] = market.vaults as [Address, Address];
    await trade(6);
    await index.sync();
    expect([await storedContracts(), await storedDeposits()]).toEqual([[], []]);

    await listVault(chain, registry, first);
    const listed = await mineToReading(chain);
    await trade(2);
    await index.sync();
    expect(await storedContracts()).toEqual([{ address: first, block_number: listed }]);
    expect(await storedDeposits()).toEqual(await depositsOf([first]));
    expect((await storedDeposits()).some(({ block_number }) => block_number < listed)).toBe(true);

    await listVault(chain, registry, second);
    const later = await mineToReading(chain);
    await trade(2);
    await index.sync();
    expect(await storedContracts()).toEqual([
      { address: first, block_number: listed },
      { address: second, block_number: later },
    ]);
    const deposits = await depositsOf([first, second]);
    expect(await storedDeposits()).toEqual(deposits);
    expect(new Set(deposits.map(({ contract }) => contract)).size).toBe(2);
  });

  it("are read in every block that touches them and, once listed, at each interval, with the price as of that block", async () => {
    const prices = await testDatabase.database.query<{ contract: Address; block_number: number; assets: string }>(
      "SELECT contract, block_number, assets FROM cq_listed.share_price ORDER BY block_number, contract",
    );
    const touched = new Set((await storedDeposits()).map(({ contract, block_number }) => `${contract} ${block_number}`));
    const read = new Set(prices.map(({ contract, block_number }) => `${contract} ${block_number}`));
    expect([...touched].filter((key) => !read.has(key))).toEqual([]);
    const head = await chain.head();
    for (const { address, block_number } of await storedContracts()) {
      // The block that lists a vault is a multiple of listEvery, which is a multiple of priceEvery.
      for (let block = block_number; block <= head; block += priceEvery) expect(read).toContain(`${address} ${block}`);
    }
    for (const { contract, block_number, assets } of prices) {
      const height = `0x${block_number.toString(16)}`;
      const price = await chain.rpc<Hex>("eth_call", [encodeCall(contracts("Vault"), contract, "convertToAssets", [10n ** 36n]), height]);
      expect(assets).toBe(String(BigInt(price)));
    }
  });

  it("have the same rows, regardless of how many of their logs are read at a time", async () => {
    const fold = createDeclaredFold(listedVaults(registry), new Map());
    const rowsBy = async (limit: number) => {
      const all: unknown[] = [];
      for (const address of market.vaults)
        for await (const { rows } of foldLogsOf(testDatabase.database, fold, { chainId: 31337, address, kind: "vault" }, limit))
          all.push(...(rows.cq_listed_deposits ?? []));
      return all;
    };
    const expected = await rowsBy(20_000);
    expect(expected.length).toBe((await storedDeposits()).length);
    for (const limit of [1, 2, 7]) expect(await rowsBy(limit)).toEqual(expected);
  });

  it("remain contracts of the protocol when the list no longer contains them", async () => {
    await chain.send(encodeCall(registries("Registry"), registry, "clear"));
    await chain.mine();
    await mineToReading(chain);
    await trade(3);
    await index.sync();
    expect(await storedDeposits()).toEqual(await depositsOf(market.vaults));
  });

  it("are the same in an index that starts later, and pass the audit", async () => {
    const other = await createTestDatabase();
    const late = await startCommunityIndex(chain, other.database, { protocols: [listedVaults(registry)] });
    await late.sync();
    await late.end();
    for (const table of ["contracts", "deposits", "share_price", "lists"]) {
      const statement = `SELECT ROW(t.*)::text AS row FROM cq_listed.${table} t ORDER BY 1`;
      expect(await other.database.query(statement), table).toEqual(await testDatabase.database.query(statement));
    }
    await other.drop();
    const rpc = createRpc({ url: chain.url, retries: 0 });
    const audit = {
      database: testDatabase.database,
      source: index.running.source,
      rpc,
      chain: { id: 31337, name: "test", community: {} },
      protocols: [listedVaults(registry)],
      from: 0,
    };
    const rows = await auditProtocols(audit, await chain.head(), 100_000);
    await rpc.close();
    expect(rows.map(({ subject, comparedCount, differences }) => [subject, comparedCount > 10, differences])).toEqual([
      ["listed events", true, []],
      ["listed reads", true, []],
    ]);
  });
});

describe("an index of listed contracts after a reorganisation", () => {
  testReorganisations(
    "listed vaults",
    ["cq_listed_contracts", "cq_listed_deposits", "cq_listed_share_price", "cq_listed_lists"],
    async (chain) => {
      const market = await startMarket(chain);
      const registry = await chain.deploy(registries("Registry"));
      for (const vault of market.vaults) await listVault(chain, registry, vault);
      return {
        ...market,
        protocols: [listedVaults(registry)],
        wallets: [],
        // The replaced blocks list a vault with earlier deposits; deeper reorganisations replace the deposits, too.
        mineLast: async () => {
          const vaults: Address[] = [];
          await createVault(chain, { ...market, vaults }, true);
          await listVault(chain, registry, vaults[0]);
          await mineToReading(chain);
        },
      };
    },
  );
});
