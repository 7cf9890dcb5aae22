import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../demo/story/random.ts";
import { RpcError } from "../../../../runtime/chain/errors.ts";
import { createRpc, type Rpc } from "../../../../runtime/chain/rpc.ts";
import { bytes } from "../../../../runtime/database/codecs.ts";
import type { Queryable } from "../../../../runtime/database/database.ts";
import { auditProtocols } from "../../../../runtime/domains/community/audit/audit-protocols.ts";
import type { AuditRow } from "../../../../runtime/lib/audit-row.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { readOf } from "../../../support/declared-protocol.ts";
import { contracts } from "./contracts.ts";
import { type CommunityIndex, startCommunityIndex, vaultsOf } from "./support.ts";
import { createVault, type Market, startMarket } from "./vault-market.ts";

const random = createRandom("audited vaults");
const everything = 100_000;
let chain: TestChain;
let market: Market;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let rpc: Rpc;
let head: number;

const protocol = () => {
  const vaults = vaultsOf(market.factory);
  const shares = readOf("half", "vault", "convertToAssets(uint256 shares) view returns (uint256 assets)", {
    arguments: [{ name: "shares", type: "uint256", each: ["7", "1000000000000000000000"] }],
    touchedBy: ["deposits"],
  });
  return { ...vaults, reads: [...vaults.reads, shares] };
};

beforeAll(async () => {
  chain = await startTestChain();
  market = await startMarket(chain);
  testDatabase = await createTestDatabase();
  rpc = createRpc({ url: chain.url, retries: 0 });
  index = await startCommunityIndex(chain, testDatabase.database, { protocols: [protocol()] });
  for (let step = 0; step < 8; step += 1) {
    await chain.send(...Array.from({ length: 5 }, () => market.randomTransaction(random)));
    await chain.mine();
    if (step === 4) await createVault(chain, market, true);
  }
  const hostile = await chain.deploy(contracts("Hostile"));
  await chain.send(encodeCall(contracts("Factory"), market.factory, "announce", [hostile, market.asset]));
  // Deposit(address,address,uint256,uint256) of EIP-4626, without its data.
  const topic = "0xdcbc1c05240f31ff3ad067ef1ee35ce4997762752e3a095284754544f4c709d7";
  await chain.send(encodeCall(contracts("Hostile"), hostile, "emitLog", [[topic], "0x"]));
  await chain.mine();
  await index.sync();
  head = await chain.head();
});
afterAll(async () => {
  await rpc?.close();
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

const audit = (database: Queryable, height = head, sample = everything): Promise<AuditRow[]> =>
  auditProtocols(
    {
      database,
      source: index.running.source,
      rpc,
      chain: { id: 31337, name: "test", community: {} },
      protocols: [protocol()],
      from: 0,
    },
    height,
    sample,
  );

/** Changes the tables, returns the differences that the audit then finds, and undoes the change. */
const differencesAfter = async (change: string, parameters: readonly unknown[] = []): Promise<readonly string[]> => {
  const undo = new Error("undo");
  let found: readonly AuditRow[] = [];
  await testDatabase.database
    .transaction(async (client) => {
      const changed = await client.query(`${change} RETURNING 1 AS one`, parameters);
      expect(changed.length).toBe(1);
      found = await audit(client);
      throw undo;
    })
    .catch((error: unknown) => expect(error).toBe(undo));
  return found.flatMap(({ differences }) => differences);
};

interface LogPosition {
  readonly block_number: number;
  readonly log_index: number;
}

const thirdRow = async (view: string): Promise<LogPosition & { readonly contract: Address }> => {
  const [row] = await testDatabase.database.query<LogPosition & { contract: Address }>(
    `SELECT contract, block_number, log_index FROM cq_vaults.${view} ORDER BY block_number, log_index OFFSET 2 LIMIT 1`,
  );
  if (row === undefined) throw new Error(`${view} has fewer than three rows`);
  return row;
};

const positionOf = ({ block_number, log_index }: LogPosition) => [block_number, log_index];

describe("the audit of declared protocols", () => {
  it("finds no difference in rows that the indexer wrote", async () => {
    const rows = await audit(testDatabase.database);
    expect(rows.map(({ subject, differences }) => ({ subject, differences }))).toEqual([
      { subject: "vaults events", differences: [] },
      { subject: "vaults reads", differences: [] },
    ]);
    const count = async (...views: string[]) => {
      const counts = await Promise.all(views.map((view) => testDatabase.database.query(`SELECT FROM cq_vaults.${view}`)));
      return counts.reduce((sum, found) => sum + found.length, 0);
    };
    expect(rows[0]).toMatchObject({ comparedCount: await count("contracts", "deposits", "withdrawals", "skipped"), unknownCount: 0 });
    // convertToAssets() of the hostile contract reverts.
    expect(rows[1]).toMatchObject({ comparedCount: await count("share_price", "share_price_latest", "half"), unknownCount: 4 });
  });

  it("finds a wrong row", async () => {
    const deposit = await thirdRow("deposits");
    const found = await differencesAfter(
      "UPDATE cq_vaults_deposits SET assets = assets + 1 WHERE block_number = $1 AND log_index = $2",
      positionOf(deposit),
    );
    expect(found).toEqual([
      expect.stringMatching(
        new RegExp(
          `^deposits ${deposit.block_number} ${deposit.log_index} of block \\d+: the index has assets \\d+, the node has assets \\d+$`,
        ),
      ),
    ]);
  });

  it("finds a missing row", async () => {
    const withdrawal = await thirdRow("withdrawals");
    const { block_number: block, log_index: log } = withdrawal;
    const found = await differencesAfter(
      "DELETE FROM cq_vaults_withdrawals WHERE block_number = $1 AND log_index = $2",
      positionOf(withdrawal),
    );
    expect(found).toEqual([`withdrawals ${block} ${log} of block ${block}: the index has no row, the node has a row`]);
  });

  it("finds an extra row", async () => {
    const { contract } = await thirdRow("deposits");
    const found = await differencesAfter(
      "INSERT INTO cq_vaults_deposits (chain_id, contract, block_number, transaction_index, log_index, sender, owner, assets, shares) VALUES (31337, $1, 3, 0, 900, $1, $1, 5, 5)",
      [bytes(contract)],
    );
    expect(found).toEqual(["deposits 3 900 of block 3: the index has a row, the node has no row"]);
  });

  it("finds a missing skipped log", async () => {
    const [skipped] = await testDatabase.database.query<LogPosition>("SELECT block_number, log_index FROM cq_vaults.skipped");
    const found = await differencesAfter("DELETE FROM cq_vaults_skipped WHERE log_index = $1", [skipped?.log_index]);
    expect(found).toEqual([
      `skipped ${skipped?.block_number} ${skipped?.log_index} deposits of block ${skipped?.block_number}: the index has no row, the node has a row`,
    ]);
  });

  it("finds a missing contract, with its rows", async () => {
    const [vault] = market.vaults as [Address];
    const found = await differencesAfter("DELETE FROM cq_vaults_contracts WHERE address = $1", [bytes(vault)]);
    expect(found).toContainEqual(
      expect.stringMatching(`^contracts ${vault} vault of block \\d+: the index has no row, the node has a row$`),
    );
    expect(found.length).toBeGreaterThan(1);
  });

  it.each(["share_price", "share_price_latest", "half"])("finds a wrong result from the read %s", async (read) => {
    const found = await differencesAfter(
      `UPDATE cq_vaults_${read} SET assets = assets + 1 WHERE ctid = (SELECT ctid FROM cq_vaults_${read} WHERE assets IS NOT NULL LIMIT 1)`,
    );
    expect(found).toEqual([
      expect.stringMatching(new RegExp(`^${read} of 0x[0-9a-f]{40} at block \\d+: the index has assets \\d+, the node has assets \\d+$`)),
    ]);
  });

  it("compares a sample of the rows up to the height", async () => {
    const [all] = await audit(testDatabase.database);
    const [some] = await audit(testDatabase.database, head - 4, 3);
    expect(some?.differences).toEqual([]);
    expect(some?.comparedCount).toBeGreaterThan(0);
    expect(some?.comparedCount).toBeLessThan(all?.comparedCount ?? 0);
  });

  it("counts values that the node does not return as unknown", async () => {
    const failing = {
      settle: async (calls: readonly unknown[]) => calls.map(() => ({ ok: false as const, error: new RpcError("eth_getLogs", 0, "down") })),
    };
    const [events] = await auditProtocols(
      {
        database: testDatabase.database,
        source: { runCalls: async (calls) => calls.map(() => ({ ok: false, reverted: false })) },
        rpc: failing,
        chain: { id: 31337, name: "test", community: {} },
        protocols: [protocol()],
        from: 0,
      },
      head,
      everything,
    );
    expect(events?.differences).toEqual([]);
    expect(events?.unknownCount).toBe(events?.comparedCount);
    expect(events?.comparedCount).toBeGreaterThan(0);
  });
});
