import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditApprovals } from "../../../../runtime/domains/approvals/audit.ts";
import { approvalsProjection } from "../../../../runtime/domains/approvals/projection/index.ts";
import { nftProjection } from "../../../../runtime/domains/nft/projection.ts";
import { auditBalances } from "../../../../runtime/domains/tokens/jobs/audit-balances.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { standards } from "../../../../runtime/domains/tokens/projection/standards.ts";
import { type Address, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { type Artifact, artifacts, call, startTestChain, type TestChain } from "../../../support/chain.ts";
import { dump } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { chainOf, createTestIndexer } from "../../../support/indexer/support.ts";
import { type RpcProxy, startRpcProxy } from "../../../support/rpc-proxy.ts";
import { balancesOf, startReconciliation } from "../tokens/reconcile-balances/support.ts";
import { nonstandardContracts } from "./contracts.ts";

const projections = [tokensProjection, nftProjection, approvalsProjection];
const unit = 10n ** 18n;
const coins = ["Appending", "AllIndexed", "NoneIndexed", "IndexedApproval"] as const;

let chain: TestChain;
let proxy: RpcProxy;
let test: TestDatabase;
let [alice, bob, carol]: [Address, Address, Address] = ["0x", "0x", "0x"];
const addresses: Record<string, Address> = {};

const addressOf = (name: string): Address => {
  const address = addresses[name];
  if (address === undefined) throw new Error(`Contract ${name} is not deployed`);
  return address;
};
const nameOf = (address: Address): string | undefined => Object.keys(addresses).find((name) => addresses[name] === address);
const callToken = (
  name: string,
  from: Address,
  functionName: string,
  args: readonly unknown[],
  artifact: Artifact = nonstandardContracts(name),
) => ({
  from,
  ...call(artifact, addressOf(name), functionName, args),
});

beforeAll(async () => {
  chain = await startTestChain();
  [alice, bob, carol] = chain.accounts.slice(1, 4) as [Address, Address, Address];
  for (const name of [...coins, "Kitties", "Silent", "Switchable", "Greedy", "Treasury"])
    addresses[name] = await chain.deploy(nonstandardContracts(name));
  addresses.hybrid = await chain.deploy(nonstandardContracts("Hybrid"), [false]);
  addresses.ownName = await chain.deploy(nonstandardContracts("Hybrid"), [true]);
  addresses.cards = await chain.deploy(artifacts.erc721(), ["Cards", "CARD", "ipfs://"]);
  const hybrid = nonstandardContracts("Hybrid");
  await chain.send(
    ...coins.map((name) => callToken(name, alice, "mint", [alice, 1_000n])),
    callToken("Kitties", alice, "mint", [alice, 1n]),
    callToken("Kitties", alice, "mint", [alice, 2n]),
    callToken("Silent", alice, "claim", [zeroAddress, alice, 5n]),
    callToken("Switchable", alice, "claim", [alice, 7n]),
    callToken("Treasury", alice, "pay", [addressOf("AllIndexed"), alice, 7n]),
    callToken("Greedy", alice, "claim", [alice, 9n]),
    // After its first indexed transaction, no id has an owner.
    callToken("hybrid", alice, "flash", [bob], hybrid),
    callToken("ownName", alice, "mint", [alice, 3n * unit], hybrid),
    call(artifacts.erc721(), addressOf("cards"), "mint", [alice]),
  );
  await chain.mine();
  await chain.send(
    ...coins.flatMap((name) => [callToken(name, alice, "transfer", [bob, 300n]), callToken(name, alice, "approve", [carol, 40n])]),
    callToken("Kitties", alice, "transfer", [bob, 2n]),
    callToken("hybrid", alice, "mint", [alice, 5n * unit + 1n], hybrid),
    callToken("ownName", alice, "send", [bob, 1n], hybrid),
    callToken("Switchable", alice, "change", []),
  );
  await chain.mine();
  await chain.send(
    ...coins.flatMap((name) => [callToken(name, bob, "transfer", [carol, 100n]), callToken(name, bob, "burn", [50n])]),
    callToken("Kitties", bob, "transfer", [carol, 2n]),
    callToken("hybrid", alice, "send", [carol, 2n], hybrid),
    callToken("Switchable", alice, "claim", [alice, 8n]),
  );
  await chain.mine();
  test = await createTestDatabase();
  proxy = await startRpcProxy(chain.url);
  await index();
});
afterAll(async () => {
  await proxy?.close();
  await test?.drop();
  await chain?.stop();
});

const index = async (database = test.database, url = proxy.url) => {
  const running = await createTestIndexer(url, database, { projections });
  await running.runToHead(await chain.head());
  await running.close();
  return running;
};

const rowsOf = <Row extends object>(statement: string) => test.database.query<Row>(statement);
const standardsOf = async (database = test.database): Promise<Record<string, number[]>> => {
  const rows = await database.query<{ address: Address; standard: number }>(
    "SELECT address, standard FROM token_standards ORDER BY address, standard",
  );
  const byName: Record<string, number[]> = {};
  for (const { address, standard } of rows) {
    const name = nameOf(address) ?? address;
    byName[name] = [...(byName[name] ?? []), standard];
  }
  return byName;
};

describe("tokens with non-standard logs", () => {
  it("have the standard that their contracts implement", async () => {
    const { erc20, erc721 } = standards;
    expect(await standardsOf()).toEqual({
      ...Object.fromEntries(coins.map((name) => [name, [erc20]])),
      Kitties: [erc721],
      cards: [erc721],
      hybrid: [erc20, erc721],
      ownName: [erc20, erc721],
      // A contract whose responses fit no standard has the standard of its logs. A standard does not change once it is read.
      Silent: [erc721],
      Greedy: [erc721],
      Switchable: [erc20],
    });
  });

  it("have the ERC-20 balances of their contracts", async () => {
    const tokens = [...coins, "hybrid", "ownName"].map(addressOf);
    const rows = (
      await rowsOf<{ owner: Address; token: Address; balance: string | null }>("SELECT * FROM balances WHERE standard = 1")
    ).filter(({ token }) => tokens.includes(token));
    const height = await chain.head();
    const returned = await balancesOf(
      chain,
      rows.map(({ owner, token }) => ({ owner, token, height })),
    );
    expect(rows.map(({ balance }) => balance)).toEqual(returned);
    // Alice, bob and carol hold each coin; alice and carol hold one hybrid, alice and bob the other.
    expect(rows).toHaveLength(coins.length * 3 + 4);
    expect(rows.every(({ balance }) => balance !== null && balance !== "0")).toBe(true);
  });

  it("have the owners that ownerOf() returns; ERC-20 tokens have no ids", async () => {
    const ownedIds = await rowsOf<{ token: Address; token_id: string; owner: Address }>(
      "SELECT token, token_id, owner FROM nft_balances WHERE balance > 0 ORDER BY token, token_id",
    );
    expect(ownedIds.filter(({ token }) => coins.some((name) => addressOf(name) === token))).toEqual([]);
    const readable = ownedIds.filter(({ token }) => !["Silent", "Greedy"].includes(nameOf(token) ?? ""));
    const returned = await Promise.all(
      readable.map(({ token, token_id }) =>
        chain.rpc<string>("eth_call", [{ to: token, data: `0x6352211e${BigInt(token_id).toString(16).padStart(64, "0")}` }, "latest"]),
      ),
    );
    expect(readable.map(({ owner }) => owner)).toEqual(returned.map((word) => `0x${word.slice(26)}`));
    // 2 kitties, 1 card, 5 ids of one hybrid, 3 of the other.
    expect(readable).toHaveLength(11);
    const ids = await rowsOf<{ token: Address }>("SELECT DISTINCT token FROM nft_tokens");
    expect(ids.map(({ token }) => nameOf(token)).sort()).toEqual(["Greedy", "Kitties", "Silent", "cards", "hybrid", "ownName"]);
  });

  it("have the allowances of their contracts", async () => {
    const rows = await rowsOf<{ token: Address; owner: Address; spender: Address; amount: string }>("SELECT * FROM allowances");
    expect(rows.map(({ token, owner, spender, amount }) => [nameOf(token), owner, spender, amount]).sort()).toEqual(
      coins.map((name) => [name, alice, carol, "40"]).sort(),
    );
    expect(await rowsOf("SELECT 1 FROM nft_approvals")).toEqual([]);
  });

  it("pass the audit", async () => {
    const running = await createTestIndexer(chain.url, test.database, { projections });
    const head = await chain.head();
    for (const height of [head, head - 1, head - 2]) {
      const rows = [
        ...(await auditBalances(test.database, running.source, 31337, height, 1_000)),
        ...(await auditApprovals(test.database, running.source, 31337, height, 1_000)),
      ];
      expect(rows.flatMap(({ differences }) => differences)).toEqual([]);
      for (const { subject, compared, unknown } of rows.slice(1, 4)) expect(compared - unknown, subject).toBeGreaterThan(1);
    }
    await running.close();
  });

  it("are read once each, and not again when a projection is rebuilt", async () => {
    const before = await dump(test.database);
    proxy.counts.clear();
    // The rebuild from the stored ledger writes the same rows without any call.
    await test.database.query("UPDATE projection_checkpoints SET version = 0 WHERE projection <> 'ledger'");
    await index();
    expect(await dump(test.database)).toEqual(before);
    expect(proxy.counts.get("eth_call") ?? 0).toBe(0);
  });

  it("are read in two calls if they claim EIP-721, in five calls otherwise, and in none if their logs are standard", async () => {
    const callCounts = new Map<string, number>();
    proxy.tamper = (method, _, params) => {
      if (method !== "eth_call") return;
      const [{ to, gas }] = params as [{ to: Address; gas: string }];
      expect(Number(gas)).toBe(500_000);
      callCounts.set(nameOf(to) ?? to, (callCounts.get(nameOf(to) ?? to) ?? 0) + 1);
    };
    const other = await createTestDatabase();
    await index(other.database);
    proxy.tamper = null;
    const readInFiveCalls = [
      "Treasury",
      "AllIndexed",
      "NoneIndexed",
      "IndexedApproval",
      "Kitties",
      "Silent",
      "Switchable",
      "Greedy",
      "hybrid",
      "ownName",
    ];
    expect(Object.fromEntries(callCounts)).toEqual({ cards: 2, ...Object.fromEntries(readInFiveCalls.map((name) => [name, 5])) });
    await other.drop();
  });
});

describe("standards from a limited node", () => {
  const refuse = (isRefused: (height: string) => boolean) => {
    proxy.tamper = (method, reply, params) => {
      if (method !== "eth_call" || !isRefused(String(params[1]))) return;
      reply.result = undefined;
      reply.error = { code: -32_000, message: "missing trie node" };
    };
  };

  it("are read at the head if the node has no old state", async () => {
    const head = `0x${(await chain.head()).toString(16)}`;
    refuse((height) => height !== head);
    const other = await createTestDatabase();
    const running = await index(other.database);
    proxy.tamper = null;
    expect(running.warnings.filter((warning) => warning.includes("eth_call"))).toEqual([]);
    // The Switchable contract responds differently at the head.
    expect(await standardsOf(other.database)).toEqual({ ...(await standardsOf()), Switchable: [standards.erc721] });
    await other.drop();
  });

  it("are inferred from the logs, with a warning, if the node cannot run contracts", async () => {
    refuse(() => true);
    const other = await createTestDatabase();
    const running = await index(other.database);
    proxy.tamper = null;
    const { erc721 } = standards;
    expect(await standardsOf(other.database)).toEqual({
      ...(await standardsOf()),
      AllIndexed: [erc721],
      NoneIndexed: [erc721],
      Switchable: [erc721],
      // Without a response, its ERC-20 event is no evidence of a standard.
      ownName: [erc721],
    });
    expect(running.warnings.filter((warning) => warning.includes("returned no result for eth_call to 11 contracts"))).toHaveLength(1);
    const unread = await other.database.query(
      "SELECT 1 FROM contract_standards WHERE read_at_block IS NULL AND NOT is_coin AND NOT is_collection",
    );
    expect(unread).toHaveLength(11);
    await other.drop();
  });
});

describe("a failing node", () => {
  it.each([
    ["server busy", -32_000, "server is busy, try again"],
    ["internal error", -32_603, "Internal error"],
    ["rate limit", -32_005, "rate limit exceeded"],
    ["block unknown to a node behind the gateway", -32_000, "header not found"],
  ])("does not determine a standard: the batch is retried after an error (%s)", async (_, code, message) => {
    let end: number | undefined;
    let refused = 0;
    proxy.tamper = (method, reply) => {
      // The time starts with the first call of the index.
      if (method === "eth_call") end ??= Date.now() + 3_000;
      if (method !== "eth_call" || Date.now() > (end ?? 0)) return;
      refused += 1;
      reply.result = undefined;
      reply.error = { code, message };
    };
    const other = await createTestDatabase();
    await index(other.database);
    proxy.tamper = null;
    expect(refused).toBeGreaterThan(0);
    expect(await standardsOf(other.database)).toEqual(await standardsOf());
    expect(await other.database.query("SELECT 1 FROM contract_standards WHERE read_at_block IS NULL")).toEqual([]);
    await other.drop();
  });

  it("does not block indexing if it fails only for calls to one contract", async () => {
    proxy.tamper = (method, reply, params) => {
      if (method !== "eth_call" || (params[0] as { to: Address }).to !== addressOf("Greedy")) return;
      reply.result = undefined;
      reply.error = { code: -32_603, message: "Internal error" };
    };
    const other = await createTestDatabase();
    const running = await index(other.database);
    proxy.tamper = null;
    expect(await standardsOf(other.database)).toEqual(await standardsOf());
    expect(await other.database.query("SELECT address FROM contract_standards WHERE read_at_block IS NULL")).toEqual([
      { address: addressOf("Greedy") },
    ]);
    expect(running.warnings.filter((warning) => warning.includes("returned no result for eth_call to contract"))).toHaveLength(1);
    await other.drop();
  });

  it("is not retried if the error message reports missing state", async () => {
    proxy.tamper = (method, reply) => {
      if (method !== "eth_call") return;
      reply.result = undefined;
      reply.error = { code: -32_603, message: "Internal error: missing trie node" };
    };
    const other = await createTestDatabase();
    await index(other.database);
    proxy.tamper = null;
    expect(await other.database.query("SELECT 1 FROM contract_standards WHERE read_at_block IS NOT NULL")).toEqual([]);
    await other.drop();
  });
});

describe("an index that starts late", () => {
  it("does not count older coins as ids of a contract that has both standards", async () => {
    const late = await createTestDatabase();
    const head = await chain.head();
    const running = await createTestIndexer(chain.url, late.database, { projections, chain: chainOf({ from: head }) });
    await running.runToHead(head);
    await running.close();
    const rows = await late.database.query<{ owner: Address; standard: number; balance: string | null }>(
      "SELECT owner, standard, balance FROM balances WHERE token = $1 ORDER BY standard, owner",
      [Buffer.from(addressOf("hybrid").slice(2), "hex")],
    );
    // Alice had 5 whole coins and one smallest unit, and sent carol 2 coins, which are ids as well.
    expect(rows).toEqual(
      [
        { owner: alice, standard: standards.erc20, balance: (3n * unit + 1n).toString() },
        { owner: carol, standard: standards.erc20, balance: (2n * unit).toString() },
        { owner: alice, standard: standards.erc721, balance: null },
        { owner: carol, standard: standards.erc721, balance: null },
      ].sort((left, right) => left.standard - right.standard || (left.owner < right.owner ? -1 : 1)),
    );
    await late.drop();
  });
});

describe("a token that emits ids as amounts", () => {
  it("has the balances of its contract after the comparison, and passes the audit", async () => {
    addresses.IdsAsAmounts = await chain.deploy(nonstandardContracts("IdsAsAmounts"));
    await chain.send(callToken("IdsAsAmounts", alice, "mint", [alice, 70n]), callToken("IdsAsAmounts", alice, "mint", [alice, 71n]));
    await chain.mine();
    const other = await createTestDatabase();
    const reconciliation = await startReconciliation(chain, chain.url, other.database);
    await reconciliation.runFor();
    const token = addressOf("IdsAsAmounts");
    const height = await chain.head();
    const rows = await other.database.query("SELECT balance FROM balances WHERE token = $1 AND owner = $2", [
      Buffer.from(token.slice(2), "hex"),
      Buffer.from(alice.slice(2), "hex"),
    ]);
    expect(rows).toEqual((await balancesOf(chain, [{ token, owner: alice, height }])).map((balance) => ({ balance })));
    await reconciliation.end();
    const running = await createTestIndexer(chain.url, other.database);
    const audited = await auditBalances(other.database, running.source, 31337, height, 1_000);
    expect(audited.flatMap(({ differences }) => differences)).toEqual([]);
    await running.close();
    await other.drop();
  });
});

describe("a reorganisation", () => {
  it("reads the standard of an address again if it replaces the contract", async () => {
    const deployer = chain.accounts[5] as Address;
    const head = await chain.head();
    addresses.Replaced = await chain.deploy(nonstandardContracts("AllIndexed"), [], deployer);
    await chain.send(callToken("Replaced", alice, "mint", [alice, 3n], nonstandardContracts("AllIndexed")));
    await chain.mine();
    await index();
    expect((await standardsOf()).Replaced).toEqual([standards.erc20]);
    await chain.rpc("anvil_reorg", [(await chain.head()) - head, []]);
    // The same deployer and nonce give the same address.
    expect(await chain.deploy(nonstandardContracts("Kitties"), [], deployer)).toBe(addresses.Replaced);
    await chain.send(callToken("Replaced", alice, "mint", [alice, 3n], nonstandardContracts("Kitties")));
    await chain.mine();
    await chain.mine();
    await index();
    expect((await standardsOf()).Replaced).toEqual([standards.erc721]);
    const other = await createTestDatabase();
    await index(other.database);
    const [reorganised, fresh] = [await dump(test.database), await dump(other.database)];
    expect(reorganised.contract_standards).toEqual(fresh.contract_standards);
    expect(reorganised.balances).toEqual(fresh.balances);
    await other.drop();
  });
});
