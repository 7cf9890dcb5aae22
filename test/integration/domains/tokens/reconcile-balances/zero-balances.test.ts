import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { writeZeroAddressBalance } from "../../../../../runtime/domains/tokens/jobs/reconcile-balances/supplies/zero-address-balances.ts";
import { createTokenQueries } from "../../../../../runtime/domains/tokens/queries/index.ts";
import { type Address, type Hex, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { type RpcProxy, startRpcProxy } from "../../../../support/rpc-proxy.ts";
import { type Reconciliation, startReconciliation } from "./support.ts";
import { unusualSupplies } from "./unusual-supplies.ts";

let chain: TestChain;
let node: RpcProxy;
let testDatabase: TestDatabase;
let drifting: Address;
let alice: Address;
let reconciliation: Reconciliation | undefined;

const zero = Buffer.from(zeroAddress.slice(2), "hex");
const bytes = (address: Address) => Buffer.from(address.slice(2), "hex");
const mine = async (transaction: TestTransaction) => {
  await chain.send(transaction);
  await chain.mine();
};
const mineBlocks = (blockCount: number) => chain.rpc("anvil_mine", [`0x${blockCount.toString(16)}`]);

beforeAll(async () => {
  [chain, testDatabase] = await Promise.all([startTestChain(), createTestDatabase()]);
  node = await startRpcProxy(chain.url);
  alice = chain.accounts[1] as Address;
  drifting = await chain.deploy(unusualSupplies("Drifting"));
  await mine(encodeCall(unusualSupplies("Drifting"), drifting, "mint", [alice, 100n]));
  // More blocks than the number of periods that the search may add.
  await mineBlocks(900);
});
afterEach(async () => {
  await reconciliation?.end();
  reconciliation = undefined;
});
afterAll(async () => {
  await node?.close();
  await chain?.stop();
  await testDatabase?.drop();
});

const periods = () =>
  testDatabase.database.query<{ from_block: number; to_block: number; balance: string | null }>(
    "SELECT from_block, to_block, balance FROM balance_periods WHERE owner = $1 AND token = $2 ORDER BY from_block",
    [zero, bytes(drifting)],
  );

describe("the zero address's balance of an ERC-20 token", () => {
  it("is searched for in a bounded number of steps if it changes in every block", async () => {
    reconciliation = await startReconciliation(chain, node.url, testDatabase.database);
    await reconciliation.runFor(8);
    const searched = await periods();
    // 400 periods, plus one more pass of 24 readings, each with the gap before it.
    expect(searched.length).toBeGreaterThanOrEqual(400);
    expect(searched.length).toBeLessThan(450);
    expect(searched.filter(({ balance }) => balance === null)).toEqual([]);
    // At a block that was read, the contract's balance is the block number.
    expect(searched.filter(({ from_block, balance }) => balance === String(from_block)).length).toBeGreaterThan(380);
    // Each later comparison adds one row and searches nothing.
    for (let round = 1; round <= 3; round += 1) {
      await mineBlocks(50);
      node.counts.clear();
      await reconciliation.runFor(5);
      expect((await periods()).length).toBeLessThanOrEqual(searched.length + round);
      expect(node.counts.get("eth_call") ?? 0).toBeLessThan(20);
    }
    const head = await chain.head();
    const [row] = await testDatabase.database.query<{ since_block: number; balance: string }>(
      "SELECT since_block, balance FROM balances WHERE owner = $1 AND token = $2",
      [zero, bytes(drifting)],
    );
    expect(row).toEqual({ since_block: head, balance: String(head) });
    expect(reconciliation.warnings).toEqual([]);
  });

  it("is not overwritten if a later block or another comparison wrote it first", async () => {
    const other: Address = `0x${"ab".repeat(20)}`;
    await testDatabase.database.query(
      "INSERT INTO balances (chain_id, owner, token, standard, since_block, balance) VALUES (31337, $1, $2, 1, 20, 7)",
      [zero, bytes(other)],
    );
    const contents = async () => ({
      rows: await testDatabase.database.query("SELECT since_block, balance FROM balances WHERE token = $1", [bytes(other)]),
      periods: await testDatabase.database.query("SELECT from_block, to_block, balance FROM balance_periods WHERE token = $1 ORDER BY 1", [
        bytes(other),
      ]),
    });
    const write = (head: number, balance: bigint) =>
      testDatabase.database.transaction((client) => writeZeroAddressBalance(client, 31337, other, head, 0, balance));
    await write(19, 5n);
    expect(await contents()).toEqual({ rows: [{ since_block: 20, balance: "7" }], periods: [] });
    await write(30, 9n);
    const written = {
      rows: [{ since_block: 30, balance: "9" }],
      periods: [
        { from_block: 20, to_block: 20, balance: "7" },
        { from_block: 21, to_block: 29, balance: null },
      ],
    };
    expect(await contents()).toEqual(written);
    await write(30, 9n);
    expect(await contents()).toEqual(written);
  });

  it("is compared together with the supply right after the projection is rebuilt", async () => {
    const preminted = await chain.deploy(unusualSupplies("Preminted"), [], alice);
    await mine({ from: alice, ...encodeCall(unusualSupplies("Preminted"), preminted, "transfer", [chain.accounts[2], 400n]) });
    // After these blocks, no supply is compared because of a mint or burn.
    await mineBlocks(300);
    const supply = async () =>
      (await createTokenQueries(testDatabase.database).tokenTotalsAt(31337, preminted, 1, await chain.head()))?.supply;
    const returned = BigInt(await chain.rpc<Hex>("eth_call", [{ to: preminted, data: "0x18160ddd" }, "latest"])).toString();
    // After these minutes, the next comparison is hours away.
    reconciliation = await startReconciliation(chain, node.url, testDatabase.database);
    await reconciliation.runFor(70);
    expect(await supply()).toBe(returned);
    await reconciliation.end();
    await testDatabase.database.query("UPDATE projection_checkpoints SET version = 0 WHERE projection = 'tokens'");
    reconciliation = await startReconciliation(chain, node.url, testDatabase.database);
    await reconciliation.runFor(1);
    expect(await supply()).toBe(returned);
  });
});
