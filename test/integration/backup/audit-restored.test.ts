import { rm } from "node:fs/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditRestored } from "../../../runtime/commands/audit-restored.ts";
import { readChainIdentity } from "../../../runtime/commands/chain-identity.ts";
import { configSchema } from "../../../runtime/config/config.ts";
import { startTestChain, type TestChain } from "../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { freePort } from "../../support/free-port.ts";
import { createTestIndexer } from "../../support/indexer/support.ts";
import { addSnapshot, takeSnapshot, temporaryFolder } from "./support.ts";

let chain: TestChain;
let [source, target]: TestDatabase[] = [];
let folder: string;

beforeAll(async () => {
  chain = await startTestChain();
  [source, target] = [await createTestDatabase(), await createTestDatabase({ migrated: false })];
  const [from, to] = (await chain.rpc("eth_accounts", [])) as string[];
  for (let block = 0; block < 5; block += 1) {
    await chain.rpc("eth_sendTransaction", [{ from, to, value: "0x1" }]);
    await chain.mine();
  }
  const indexer = await createTestIndexer(chain.url, source.database);
  await indexer.runToHead(Number(await chain.rpc("eth_blockNumber", [])));
  await indexer.close();
  folder = await temporaryFolder();
  await takeSnapshot(source, folder);
  await addSnapshot(target, folder);
});
afterAll(async () => {
  await source?.drop();
  await target?.drop();
  await chain?.stop();
  await rm(folder, { recursive: true, force: true });
});

const audit = async (chains: readonly object[]): Promise<[boolean, string]> => {
  let output = "";
  const isEqual = await auditRestored(configSchema.parse({ chains }), (target as TestDatabase).database, (text) => {
    output += text;
  });
  return [isEqual, output];
};

test("auditRestored compares a restored chain with its node, and finds a difference", async () => {
  const chains = [{ name: "test", id: 31337, rpc: chain.url }];
  expect(await audit(chains)).toEqual([
    true,
    expect.stringMatching(/^test up to block \d+\n[\s\S]*block hashes +6 [\s\S]*No differences\.\n$/),
  ]);
  // printf other | sha256sum
  await target?.database.query("UPDATE blocks SET hash = sha256('other') WHERE number = 3");
  expect(await audit(chains)).toEqual([
    false,
    expect.stringContaining("1 difference:\nblock 3: the index has 0xd9298a10d1b0735837dc4bd85dac641b0f3cef27a47e5d53a54f2f3f5b2fcffa,"),
  ]);
});

test("identify returns the identity that a chain's node reports, and the configured one if no node responds", async () => {
  const { hash: genesisHash } = await chain.rpc<{ hash: string }>("eth_getBlockByNumber", ["0x0", false]);
  const closed = `http://127.0.0.1:${await freePort()}`;
  const identityOf = (settings: object) => {
    const [configured] = configSchema.parse({ chains: [{ name: "test", ...settings }] }).chains;
    return configured === undefined ? null : readChainIdentity(configured);
  };
  expect(await identityOf({ rpc: chain.url })).toEqual({ name: "test", id: 31337, genesisHash, problem: null });
  expect(await identityOf({ rpc: [closed, chain.url], id: 1 })).toEqual({ name: "test", id: 1, genesisHash, problem: null });
  const unknown = { name: "test", id: 5, genesisHash: null };
  expect(await identityOf({ rpc: closed, id: 5 })).toEqual({ ...unknown, problem: expect.stringContaining("ECONNREFUSED") });
  expect(await identityOf({ id: 5 })).toEqual({ ...unknown, problem: "it has no rpc in the configuration" });
});

test("auditRestored reports which chains it cannot compare, and why", async () => {
  const closed = `http://127.0.0.1:${await freePort()}`;
  expect(await audit([])).toEqual([true, "Not audited: test, because it is not configured.\n"]);
  expect(await audit([{ name: "test", id: 31337 }])).toEqual([true, "Not audited: test, because it has no rpc in the configuration.\n"]);
  expect(await audit([{ name: "test", id: 31337, rpc: closed }])).toEqual([
    true,
    expect.stringMatching(/^Not audited: test, because its node cannot be read: .*ECONNREFUSED/),
  ]);
});
