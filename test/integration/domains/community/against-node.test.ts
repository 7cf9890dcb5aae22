import { decodeEventLog, parseAbiItem, toEventSelector } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { createProtocolStatusQueries } from "../../../../runtime/domains/community/queries/status.ts";
import type { Address, Hex } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { type CommunityIndex, deposit, startCommunityIndex, vaultsOf, withdraw } from "./support.ts";
import { createVault, type Market, startMarket } from "./vault-market.ts";

const shares = 10n ** 36n;
const random = createRandom("vaults against the node");
let chain: TestChain;
let market: Market;
let testDatabase: TestDatabase;
let index: CommunityIndex;

beforeAll(async () => {
  chain = await startTestChain();
  market = await startMarket(chain);
  testDatabase = await createTestDatabase();
  index = await startCommunityIndex(chain, testDatabase.database, { protocols: [vaultsOf(market.factory)] });
});
afterAll(async () => {
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

interface NodeLog {
  readonly address: Address;
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly transactionIndex: Hex;
  readonly logIndex: Hex;
}

/** The rows expected for a vault event, decoded from the node's logs. */
const expectedRows = async (text: string) => {
  const abi = [parseAbiItem(`event ${text}`)] as const;
  const logs = await chain.rpc<NodeLog[]>("eth_getLogs", [
    { fromBlock: "0x0", toBlock: "latest", address: market.vaults, topics: [toEventSelector(text.replaceAll("indexed ", ""))] },
  ]);
  return logs.map(({ address, topics, data, ...log }) => {
    const { args } = decodeEventLog({ abi, topics, data }) as { args: unknown };
    const values = Object.entries(args as Record<string, string | bigint>).map(([name, value]) => [name, String(value).toLowerCase()]);
    const position = {
      block_number: Number(log.blockNumber),
      transaction_index: Number(log.transactionIndex),
      log_index: Number(log.logIndex),
    };
    return { contract: address, ...position, ...Object.fromEntries(values) };
  });
};

const storedRows = (view: string) => testDatabase.database.query(`SELECT * FROM cq_vaults.${view} ORDER BY block_number, log_index`);
const withChain = (rows: readonly object[]) => rows.map((row) => ({ chain_id: 31337, ...row }));

describe("the tables of a declared protocol", () => {
  it("equal its contracts' logs on the node", async () => {
    for (let step = 0; step < 12; step += 1) {
      await chain.send(...Array.from({ length: random.between(1, 6) }, () => market.randomTransaction(random)));
      await chain.mine();
      if (step === 5) await createVault(chain, market, true);
    }
    await index.sync();
    const [deposits, withdrawals] = [await expectedRows(deposit), await expectedRows(withdraw)];
    expect(Math.min(deposits.length, withdrawals.length)).toBeGreaterThan(4);
    expect(await storedRows("deposits")).toEqual(withChain(deposits));
    expect(await storedRows("withdrawals")).toEqual(withChain(withdrawals));
    // The last vault was announced and used in the same transaction.
    expect(deposits.filter(({ contract }) => contract === market.vaults.at(-1))).not.toEqual([]);
  });

  it("contain the contracts with their announcements", async () => {
    const announcements = await chain.rpc<NodeLog[]>("eth_getLogs", [
      { fromBlock: "0x0", address: market.factory, topics: [toEventSelector("Created(address,address)")] },
    ]);
    expect(
      await testDatabase.database.query("SELECT address, kind, block_number, log_index FROM cq_vaults.contracts ORDER BY block_number"),
    ).toEqual([
      { address: market.factory, kind: "factory", block_number: 1, log_index: null },
      ...announcements.map(({ topics, blockNumber, logIndex }) => ({
        address: `0x${topics[1]?.slice(26)}`,
        kind: "vault",
        block_number: Number(blockNumber),
        log_index: Number(logIndex),
      })),
    ]);
    expect(announcements.length).toBe(market.vaults.length);
  });

  it("contain each owner's newest deposit, and the periods of earlier ones", async () => {
    const newest = new Map((await expectedRows(deposit)).map((row) => [`${row.contract}${Reflect.get(row, "owner")}`, row]));
    const stored = await testDatabase.database.query<{
      contract: Address;
      owner: Address;
      since_block: number;
      log_index: number;
      assets: string;
    }>("SELECT contract, owner, since_block, log_index, assets FROM cq_vaults.deposits_latest");
    expect(stored.length).toBe(newest.size);
    for (const { contract, owner, since_block, log_index, assets } of stored) {
      expect(newest.get(`${contract}${owner}`)).toMatchObject({ block_number: since_block, log_index, assets });
    }
    const [periods] = await testDatabase.database.query<{ count: number }>(
      "SELECT count(*) FROM cq_vaults.deposits_periods WHERE to_block >= from_block",
    );
    expect(periods?.count).toBeGreaterThan(0);
  });

  it("contain the node's share prices at each block that touched a vault and at every 16th block", async () => {
    const head = await chain.head();
    const due = await testDatabase.database.query<{ contract: Address; block_number: number }>(
      `SELECT contract, block_number FROM cq_vaults.deposits UNION SELECT contract, block_number FROM cq_vaults.withdrawals
       UNION SELECT address, block_number FROM cq_vaults.contracts WHERE kind = 'vault'
       UNION SELECT address, n FROM cq_vaults.contracts, generate_series(0, $1::int8, 16) n WHERE kind = 'vault' AND n >= block_number
       ORDER BY block_number, contract`,
      [head],
    );
    const stored = await testDatabase.database.query<{ contract: Address; block_number: number; assets: string }>(
      "SELECT contract, block_number, assets FROM cq_vaults.share_price ORDER BY block_number, contract",
    );
    expect(stored.map(({ contract, block_number }) => ({ contract, block_number }))).toEqual(due);
    for (const { contract, block_number, assets } of stored) {
      const request = encodeCall(contracts("Vault"), contract, "convertToAssets", [shares]);
      const price = BigInt(await chain.rpc<Hex>("eth_call", [request, `0x${block_number.toString(16)}`]));
      expect(assets, `${contract} at ${block_number}`).toBe(price.toString());
    }
    // Donations change the price between events.
    expect(new Set(stored.map(({ assets }) => assets)).size).toBeGreaterThan(3);
    expect(index.warnings).toEqual([]);
  });

  it("have a status with row counts, checkpoint and skipped logs", async () => {
    const rows = async (view: string) => (await testDatabase.database.query(`SELECT FROM cq_vaults.${view}`)).length;
    const head = await chain.head();
    const [status, ...others] = await createProtocolStatusQueries(testDatabase.database).statuses();
    expect(others).toEqual([]);
    expect(status).toMatchObject({ protocol: "vaults", chain_id: 31337, checkpoint: head, head, skipped: 0, queued_reads: 0 });
    for (const { name, rows: counted } of status?.tables ?? []) expect(counted, name).toBe(await rows(name));
    expect(status?.tables.map(({ name }) => name)).toContain("share_price");
  });
});

describe("a hostile contract that the factory announced", () => {
  const topicOf = (text: string): Hex => toEventSelector(text.replaceAll("indexed ", ""));
  const word = (digits: string): Hex => `0x${digits.padStart(64, "0")}`;
  const emit = (hostile: Address, topics: readonly Hex[], data: Hex): TestTransaction =>
    encodeCall(contracts("Hostile"), hostile, "emitLog", [topics, data]);

  it("fills the table of skipped logs without stopping the index", async () => {
    const hostile = await chain.deploy(contracts("Hostile"));
    const [owner] = chain.accounts as [Address];
    await chain.send(encodeCall(contracts("Factory"), market.factory, "announce", [hostile, market.asset]));
    await chain.mine();
    const before = await storedRows("deposits");
    const garbage: [Hex[], Hex][] = [
      [[topicOf(deposit)], "0x"],
      [[topicOf(deposit), word("1"), word("2")], "0x"],
      [[topicOf(deposit), word("1"), word("2")], `${word("1")}ff`],
      [[topicOf(deposit), word("1"), word("2")], `0x${"f".repeat(192)}`],
      [[topicOf(deposit), word("f".repeat(64)), word("2")], `0x${"0".repeat(128)}`],
      [[topicOf(deposit), word("1"), word("2"), word("3")], `0x${"0".repeat(64)}`],
      [[topicOf(withdraw), word("1"), word("2"), word("3")], `0x${"0".repeat(126)}`],
    ];
    await chain.send(...garbage.map(([topics, data]) => emit(hostile, topics, data)), market.deposit(owner, 10n));
    await chain.mine();
    // An event with the largest numbers is stored like any other.
    await chain.send(emit(hostile, [topicOf(deposit), word("1"), word("2")], `0x${"f".repeat(128)}`));
    await chain.mine();
    await index.sync();
    const head = await chain.head();
    expect(
      await testDatabase.database.query("SELECT block_number, log_index, table_name, reason FROM cq_vaults.skipped ORDER BY log_index"),
    ).toEqual([
      { block_number: head - 1, log_index: 0, table_name: "deposits", reason: "Expected 3 topics, found 1" },
      { block_number: head - 1, log_index: 1, table_name: "deposits", reason: "Expected 64 bytes of data, found 0" },
      { block_number: head - 1, log_index: 2, table_name: "deposits", reason: "Expected 64 bytes of data, found 33" },
      { block_number: head - 1, log_index: 3, table_name: "deposits", reason: "Expected 64 bytes of data, found 96" },
      { block_number: head - 1, log_index: 4, table_name: "deposits", reason: "Topic 1 is not an encoding of address" },
      { block_number: head - 1, log_index: 5, table_name: "deposits", reason: "Expected 3 topics, found 4" },
      { block_number: head - 1, log_index: 6, table_name: "withdrawals", reason: "Expected 64 bytes of data, found 63" },
    ]);
    const after = await storedRows("deposits");
    expect(after.length).toBe(before.length + 2);
    expect(after.at(-1)).toMatchObject({ contract: hostile, assets: (2n ** 256n - 1n).toString(), shares: (2n ** 256n - 1n).toString() });
    // The hostile contract's convertToAssets() reverts.
    expect(
      await testDatabase.database.query("SELECT assets FROM cq_vaults.share_price WHERE contract = $1", [
        Buffer.from(hostile.slice(2), "hex"),
      ]),
    ).toEqual([{ assets: null }, { assets: null }]);
    const [status] = await createProtocolStatusQueries(testDatabase.database).statuses();
    expect(status).toMatchObject({ checkpoint: head, skipped: garbage.length, queued_reads: 0 });
  });
});
