import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import type { DueRead } from "../../../../runtime/domains/community/jobs/read-contracts/declared-reads.ts";
import { listedKinds, storeListed } from "../../../../runtime/domains/community/jobs/read-contracts/listed-contracts.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { startCommunityIndex } from "./support.ts";
import { startMarket } from "./vault-market.ts";
import { listedVaults, mineToReading, registries } from "./vault-registry.ts";

describe("a list with more contracts than one run adds", () => {
  let chain: TestChain;
  let testDatabase: TestDatabase;
  beforeEach(async () => {
    chain = await startTestChain();
    testDatabase = await createTestDatabase();
  });
  afterEach(async () => {
    await testDatabase?.drop();
    await chain?.stop();
  });

  it("is read again until all of them are added, each with the block of the result", async () => {
    const registry = await chain.deploy(registries("Registry"));
    const index = await startCommunityIndex(chain, testDatabase.database, { protocols: [listedVaults(registry)] });
    // 250 addresses without code; one run adds at most 100.
    await chain.send({ ...encodeCall(registries("Registry"), registry, "addMany", [0x10000n, 250n]), gas: 10_000_000n });
    const listed = await mineToReading(chain);
    await index.sync();
    const stored = await testDatabase.database.query<{ address: Address; block_number: number }>(
      "SELECT address, block_number FROM cq_listed.contracts WHERE chain_id = 31337 AND kind = 'vault' ORDER BY address",
    );
    const expected = Array.from({ length: 250 }, (_, position) => `0x${(0x10000 + position).toString(16).padStart(40, "0")}`);
    expect(stored).toEqual(expected.map((address) => ({ address, block_number: listed })));
    expect(await testDatabase.database.query("SELECT read_name FROM community_reads WHERE read_name = 'lists'")).toEqual([]);
    await index.end();
  });

  it("is queued again after a contract reaches the log limit, and all logs of that contract are stored", async () => {
    const random = createRandom("a busy vault");
    const market = await startMarket(chain);
    const registry = await chain.deploy(registries("Registry"));
    const protocol = listedVaults(registry);
    const index = await startCommunityIndex(chain, testDatabase.database, { protocols: [protocol] });
    for (let block = 0; block < 8; block += 1) {
      await chain.send(...Array.from({ length: 4 }, () => market.randomTransaction(random)));
      await chain.mine();
    }
    await index.sync();
    await index.end();
    const emitted = await testDatabase.database.query<{ address: Address; logs: number }>(
      // keccak256 of Deposit(address,address,uint256,uint256), EIP-4626.
      `SELECT address, count(*) AS logs FROM logs
       WHERE topic0 = decode('dcbc1c05240f31ff3ad067ef1ee35ce4997762752e3a095284754544f4c709d7', 'hex') GROUP BY address`,
    );
    const [vault = { address: "0x", logs: 0 }, other = vault] = emitted;
    expect(Math.min(vault.logs, other.logs)).toBeGreaterThan(1);
    expect(emitted).toHaveLength(2);

    const due: DueRead = { protocol: "listed", read_name: "lists", contract: registry, arguments: "", block_number: 4, attempts: 3 };
    const [listing] = listedKinds([protocol]);
    if (listing === undefined) throw new Error("The protocol has no kind of contract that a read lists");
    const listed = [vault, other].map(({ address }) => ({ listing, address, block: 4, due }));
    await testDatabase.database.transaction((client) => storeListed(client, 31337, listed, listed, { contracts: 2, logs: vault.logs }));
    expect(await testDatabase.database.query("SELECT contract, count(*) AS logs FROM cq_listed.deposits GROUP BY contract")).toEqual([
      { contract: vault.address, logs: vault.logs },
    ]);
    expect(await testDatabase.database.query("SELECT address FROM cq_listed.contracts WHERE kind = 'vault'")).toEqual([
      { address: vault.address },
    ]);
    expect(await testDatabase.database.query("SELECT block_number, attempts FROM community_reads WHERE read_name = 'lists'")).toEqual([
      { block_number: 4, attempts: 0 },
    ]);
  });
});
