import { type Address, encodeFunctionData, type Hash, type Hex } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { safesProjection } from "../../../../runtime/domains/safes/projection.ts";
import { startTestChain, type TestChain } from "../../../support/chain.ts";
import { dump } from "../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import { type ResponseData, servePools, type TestApi } from "../pools/serve-pools.ts";
import {
  accountAt,
  byApproval,
  byContract,
  byKey,
  byMessage,
  createSafes,
  deployMultiSend,
  join,
  mined,
  type Signature,
  type TestSafe,
  type Version,
} from "./support.ts";

const [anna, ben, cleo, dora, stranger] = [1, 2, 3, 4, 5].map(accountAt) as [Account, Account, Account, Account, Account];
type Account = ReturnType<typeof accountAt>;
const lower = (address: Address): Address => address.toLowerCase() as Address;
const nothing = { to: stranger.address };
const sentinel: Address = "0x0000000000000000000000000000000000000001";

let chain: TestChain;
let test: TestDatabase;
let api: TestApi;
let multiSend: Awaited<ReturnType<typeof deployMultiSend>>;
beforeAll(async () => {
  chain = await startTestChain();
  test = await createTestDatabase();
  multiSend = await deployMultiSend(chain);
  api = await servePools(test.database, []);
}, 120_000);
afterAll(async () => {
  await api?.end();
  await test?.drop();
  await chain?.stop();
});

const indexToHead = async (into = test) => {
  const running = await createTestIndexer(chain.url, into.database, { projections: [safesProjection] });
  await running.runToHead(await chain.head());
  await running.close();
};

/** Types and owners of the signatures in a transaction, by the API. */
const detailsOf = async (hash: Hash): Promise<(readonly [string | null, Address | null])[]> => {
  await indexToHead();
  const { items } = await api.get(`week/transaction_v2/${hash}/?with-safe=true`);
  return items[0].safe_details.map((details: ResponseData) => [details.signature_type, details.owner_address]);
};

/** The expected details of checked signatures, in the order of their owners. */
const sorted = (details: readonly (readonly [string, Address])[]) =>
  details.map(([type, owner]) => [type, lower(owner)] as const).sort((left, right) => (left[1] < right[1] ? -1 : 1));

const removal = ({ artifact, address }: TestSafe, owner: Address, previous: Address, threshold: bigint) => ({
  to: address,
  data: encodeFunctionData({ abi: artifact.abi, functionName: "removeOwner", args: [previous, owner, threshold] }),
});

describe.each<Version>(["1.3.0", "1.3.0 L2", "1.4.1", "1.4.1 L2"])("the details of transactions of Safe %s", (version) => {
  const emitsSignatures = version.endsWith("L2");
  let createSafe: Awaited<ReturnType<typeof createSafes>>;
  beforeAll(async () => {
    createSafe = await createSafes(chain, version);
  });

  it("contain the owners of all four kinds of signatures", async () => {
    const nested = await createSafe([dora.address], 1);
    const safe = await createSafe([anna.address, ben.address, cleo.address, nested.address], 4);
    const { hash, data } = await safe.hashOf(nothing);
    const inner = join([await byKey(dora, await nested.messageHash(data))]);
    await mined(chain, {
      from: cleo.address,
      to: safe.address,
      data: encodeFunctionData({ abi: safe.artifact.abi, functionName: "approveHash", args: [hash] }),
    });
    const signatures = join([
      await byKey(anna, hash),
      await byMessage(ben, hash),
      byApproval(cleo.address),
      byContract(nested.address, inner),
    ]);
    const transaction = await mined(chain, { from: stranger.address, ...safe.execution(nothing, signatures) });
    expect(await detailsOf(transaction)).toEqual(
      sorted([
        ["ecdsa", anna.address],
        ["eth_sign", ben.address],
        ["approved_hash", cleo.address],
        ["contract", nested.address],
      ]),
    );
    const { items } = await api.get(`week/transaction_v2/${transaction}/?with-safe=true`);
    const byContractDetails = items[0].safe_details.find((details: ResponseData) => details.signature_type === "contract");
    expect(byContractDetails.signature).toBe(inner);
    expect((await api.get(`week/transaction_v2/${transaction}/`)).items[0].safe_details).toBeNull();
  });

  it("contain forged signatures beyond the threshold without an owner", async () => {
    const safe = await createSafe([anna.address, ben.address, cleo.address], 1);
    const { hash } = await safe.hashOf(nothing);
    const forged: Signature[] = [
      await byKey(stranger, hash),
      byApproval(ben.address),
      byContract(cleo.address, "0x1234"),
      await byKey(ben, hash),
    ];
    const transaction = await mined(chain, safe.execution(nothing, join([await byKey(anna, hash)], forged)));
    expect(await detailsOf(transaction)).toEqual([
      ["ecdsa", lower(anna.address)],
      ["ecdsa", null],
      ["approved_hash", null],
      ["contract", null],
      ["ecdsa", lower(ben.address)],
    ]);
  });

  it("contain those of failed executions", async () => {
    const safe = await createSafe([anna.address], 1);
    // The Safe refuses an owner that it has.
    const fails = {
      to: safe.address,
      data: encodeFunctionData({ abi: safe.artifact.abi, functionName: "addOwnerWithThreshold", args: [anna.address, 1n] }),
      safeTxGas: 100_000n,
    };
    const { hash } = await safe.hashOf(fails);
    const transaction = await mined(chain, safe.execution(fails, join([await byMessage(anna, hash)])));
    const { logs } = await chain.rpc<{ logs: { topics: Hex[] }[] }>("eth_getTransactionReceipt", [transaction]);
    expect(logs.at(-1)?.topics[0]).toBe("0x23428b18acfb3ea64b08dc0c1d296ea9c09702c09083ca5272e64d115b687d23");
    expect(await detailsOf(transaction)).toEqual([["eth_sign", lower(anna.address)]]);
  });

  it("contain an owner that the execution itself removes, and no longer later", async () => {
    const safe = await createSafe([anna.address, ben.address, cleo.address], 2);
    const removing = removal(safe, cleo.address, ben.address, 1n);
    const { hash } = await safe.hashOf(removing);
    const first = await mined(chain, safe.execution(removing, join([await byKey(anna, hash), await byKey(cleo, hash)])));
    expect(await detailsOf(first)).toEqual(
      sorted([
        ["ecdsa", anna.address],
        ["ecdsa", cleo.address],
      ]),
    );
    const later = (await safe.hashOf(nothing)).hash;
    const second = await mined(chain, safe.execution(nothing, join([await byKey(anna, later)], [await byKey(cleo, later)])));
    expect(await detailsOf(second)).toEqual([
      ["ecdsa", lower(anna.address)],
      ["ecdsa", null],
    ]);
  });

  it(`of several executions below another contract are ${emitsSignatures ? "read from events" : "unknown"}`, async () => {
    const safe = await createSafe([anna.address, ben.address], 1);
    const removing = removal(safe, anna.address, sentinel, 1n);
    const [first, second] = [(await safe.hashOf(removing)).hash, (await safe.hashOf(nothing, 1n)).hash];
    const transaction = await mined(
      chain,
      multiSend(
        safe.execution(removing, join([await byKey(anna, first)])),
        safe.execution(nothing, join([await byKey(ben, second)], [await byKey(anna, second)])),
      ),
    );
    expect(await detailsOf(transaction)).toEqual(
      emitsSignatures
        ? [
            ["ecdsa", lower(anna.address)],
            ["ecdsa", lower(ben.address)],
            ["ecdsa", null],
          ]
        : [
            [null, null],
            [null, null],
          ],
    );
  });

  it("contain those of a Safe that executes below another Safe", async () => {
    const outer = await createSafe([anna.address], 1);
    const inner = await createSafe([outer.address, ben.address], 2);
    const { hash } = await inner.hashOf(nothing);
    const made = inner.execution(nothing, join([byApproval(outer.address), await byKey(ben, hash)]));
    const transaction = await mined(chain, outer.execution(made, join([await byKey(anna, (await outer.hashOf(made)).hash)])));
    expect(await detailsOf(transaction)).toEqual([
      ...sorted([
        ["approved_hash", outer.address],
        ["ecdsa", ben.address],
      ]),
      ["ecdsa", lower(anna.address)],
    ]);
  });
});

describe("the details of Safe transactions", () => {
  let createSafe: Awaited<ReturnType<typeof createSafes>>;
  beforeAll(async () => {
    createSafe = await createSafes(chain, "1.4.1");
  });

  it("are the same in all lists, and empty for other transactions", async () => {
    const safe = await createSafe([anna.address], 1);
    const { hash } = await safe.hashOf(nothing);
    await mined(chain, { from: dora.address, ...safe.execution(nothing, join([await byKey(anna, hash)])) });
    await mined(chain, { from: dora.address, to: stranger.address });
    await indexToHead();
    const height = await chain.head();
    const { hash: block } = await chain.rpc<{ hash: Hash }>("eth_getBlockByNumber", [`0x${(height - 1).toString(16)}`, false]);
    const bucket = Math.floor(1_700_000_000 / 900);
    const wallet = lower(dora.address);
    const lists = [
      `block/${height - 1}/transactions_v3/`,
      `block/${height - 1}/transactions_v3/page/0/`,
      `block_hash/${block}/transactions_v3/`,
      `block_hash/${block}/transactions_v3/page/0/`,
      `address/${wallet}/transactions_v3/`,
      `address/${wallet}/transactions_v3/page/0/`,
      `bulk/transactions/${wallet}/`,
    ];
    for (const path of lists) {
      const { items } = await api.get(`week/${path}?with-safe=true&no-logs=true`);
      const details = items.map((item: ResponseData) => item.safe_details);
      expect(details.at(-1), path).toMatchObject([{ owner_address: lower(anna.address), signature_type: "ecdsa" }]);
      if (details.length > 1) expect(details[0], path).toEqual([]);
    }
    const inBucket = await api.get(`week/bulk/transactions/${wallet}/${bucket}/?with-safe=true`);
    expect(inBucket.items.length === 0 || inBucket.items[0].safe_details !== null).toBe(true);
  });

  it("are null while the projection has not reached the block", async () => {
    const safe = await createSafe([anna.address], 1);
    const { hash } = await safe.hashOf(nothing);
    const transaction = await mined(chain, safe.execution(nothing, join([await byKey(anna, hash)])));
    expect(await detailsOf(transaction)).toHaveLength(1);
    const { query } = test.database;
    await query("UPDATE projection_checkpoints SET block_number = block_number - 1 WHERE projection = 'safes'");
    expect((await api.get(`week/transaction_v2/${transaction}/?with-safe=true`)).items[0].safe_details).toBeNull();
    await query("UPDATE projection_checkpoints SET block_number = block_number + 1 WHERE projection = 'safes'");
  });

  it("have no owner if the contract's setup is not indexed", async () => {
    const safe = await createSafe([anna.address], 1);
    const { hash } = await safe.hashOf(nothing);
    const transaction = await mined(chain, safe.execution(nothing, join([await byKey(anna, hash)])));
    await indexToHead();
    await test.database.query("DELETE FROM safe_owners WHERE safe = $1", [Buffer.from(safe.address.slice(2), "hex")]);
    expect(await detailsOf(transaction)).toEqual([["ecdsa", null]]);
  });

  it("equal those of a fresh index after a reorganisation", async () => {
    const safe = await createSafe([anna.address, ben.address], 1);
    await indexToHead();
    const removing = removal(safe, anna.address, sentinel, 1n);
    const { hash } = await safe.hashOf(removing);
    await mined(chain, safe.execution(removing, join([await byKey(anna, hash)])));
    await indexToHead();
    await chain.rpc("anvil_reorg", [1, []]);
    const again = (await safe.hashOf(nothing)).hash;
    const transaction = await mined(chain, safe.execution(nothing, join([await byKey(anna, again)])));
    expect(await detailsOf(transaction)).toEqual([["ecdsa", lower(anna.address)]]);
    const fresh = await createTestDatabase();
    await indexToHead(fresh);
    const [actual, expected] = [await dump(test.database), await dump(fresh.database)];
    for (const table of ["safe_executions", "safe_thresholds"]) expect(actual[table], table).toEqual(expected[table]);
    await fresh.drop();
  });
});
