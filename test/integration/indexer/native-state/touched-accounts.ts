import type { IndexedChain } from "../../../../runtime/indexer/types.ts";
import type { Address } from "../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { buildStory } from "../../../support/indexer/story-builder.ts";
import { balanceHistory, chainOf, createTestIndexer } from "../../../support/indexer/support.ts";
import { type ProxiedResponse, type RpcProxy, startRpcProxy } from "../../../support/rpc-proxy.ts";

export const quantity = (value: number) => `0x${value.toString(16)}`;
const addressOf = (index: number): Address => `0x${(0xbeef0000 + index).toString(16).padStart(40, "1")}`;
const forwarderCode = "0x600f600c600039600f6000f3600060006000600034600035" + "5af100";

/** Deploys a contract that forwards a call's value to the address in its data with an internal call. */
const deployForwarder = async (chain: TestChain): Promise<Address> => {
  const [hash] = await chain.send({ data: forwarderCode as Address });
  await chain.mine();
  return (await chain.rpc<{ contractAddress: Address }>("eth_getTransactionReceipt", [hash])).contractAddress.toLowerCase() as Address;
};
const forward = (forwarder: Address, to: Address, value: bigint) =>
  ({ to: forwarder, data: `0x${to.slice(2).padStart(64, "0")}` as Address, value }) as const;

/** Accounts that are credited by transactions, by internal calls, by an internal call and then a transaction, and without a transaction. */
export const [paid, paidInternally, paidInternallyThenTouched, minted] = [1, 2, 3, 4].map(addressOf) as [
  Address,
  Address,
  Address,
  Address,
];

/** An index with its own database, and the indexer's warnings. */
export type Indexed = TestDatabase & { readonly warnings: readonly string[] };

/** The balance of an account after a block, as stored (null if unknown) and as reported by the node. */
interface ComparedBalance {
  readonly owner: Address;
  readonly height: number;
  readonly stored: bigint | null;
  readonly reported: bigint;
}

/** A chain on which accounts are credited by transactions and by internal calls, behind a proxy. */
export interface TouchedAccounts {
  readonly chain: TestChain;
  readonly proxy: RpcProxy;
  /** A contract that forwards a call's value with an internal call. */
  readonly forwarder: Address;
  readonly head: number;
  /** The height of a block parameter, which is a number or a block hash (EIP-1898). */
  heightOf(blockParameter: unknown): number;
  index(overrides?: Partial<IndexedChain>, options?: Parameters<typeof createTestIndexer>[2]): Promise<Indexed>;
  /** Returns the owners in the index, and the balance of each after every block, as stored and as reported by the node. */
  compareBalances(indexed: Indexed): Promise<{ readonly owners: readonly Address[]; readonly rows: readonly ComparedBalance[] }>;
  end(): Promise<void>;
}

/** Starts a chain and a proxy, and mines the transactions that credit the accounts. */
export const startTouchedAccounts = async (): Promise<TouchedAccounts> => {
  const chain = await startTestChain();
  const proxy = await startRpcProxy(chain.url);
  await buildStory(chain, 2);
  const forwarder = await deployForwarder(chain);
  for (let round = 0; round < 3; round += 1) {
    await chain.send({ to: paid, value: 11n, gas: 21_000n }, forward(forwarder, paidInternally, 5n), {
      from: chain.accounts[1] as Address,
      to: chain.accounts[2] as Address,
      value: 3n,
      gas: 21_000n,
    });
    await chain.mine();
    await chain.mine();
  }
  await chain.send(forward(forwarder, paidInternallyThenTouched, 40n));
  await chain.mine();
  await chain.mine();
  await chain.send({ to: paidInternallyThenTouched, value: 2n, gas: 21_000n });
  await chain.mine();
  const head = await chain.head();
  const heights = new Map<string, number>();
  for (let height = 0; height <= head; height += 1) {
    heights.set((await chain.rpc<{ hash: string }>("eth_getBlockByNumber", [quantity(height), false])).hash, height);
  }
  return {
    chain,
    proxy,
    forwarder,
    head,
    heightOf: (blockParameter) =>
      typeof blockParameter === "string"
        ? Number(blockParameter)
        : (heights.get((blockParameter as { blockHash: string }).blockHash) ?? Number.POSITIVE_INFINITY),
    index: async (overrides = {}, options = {}) => {
      const testDatabase = await createTestDatabase();
      const testIndexer = await createTestIndexer(proxy.url, testDatabase.database, {
        chain: chainOf({ nativeAccounting: "state", ...overrides }),
        ...options,
      });
      await testIndexer.runToHead(await chain.head());
      await testIndexer.close();
      return { ...testDatabase, warnings: testIndexer.warnings };
    },
    compareBalances: (indexed) => compareBalances(chain, indexed),
    end: async () => {
      await proxy.close();
      await chain.stop();
    },
  };
};

const compareBalances = async (chain: TestChain, { database }: Indexed) => {
  const history = await database.query<{ owner: Address; block_number: number; balance: string | null }>(
    `SELECT owner, block_number, balance FROM ${balanceHistory} WHERE standard = 0 ORDER BY owner, block_number`,
  );
  const latest = await chain.head();
  const owners = [...new Set(history.map(({ owner }) => owner))];
  const rows: ComparedBalance[] = [];
  for (const owner of owners) {
    const ownRows = history.filter((row) => row.owner === owner);
    const reported = await chain.batch<string>(
      Array.from({ length: latest + 1 }, (_, height) => ({ method: "eth_getBalance", params: [owner, quantity(height)] })),
    );
    for (const [height, value] of reported.entries()) {
      const row = ownRows.filter(({ block_number }) => block_number <= height).at(-1);
      const stored = row === undefined ? 0n : row.balance === null ? null : BigInt(row.balance);
      rows.push({ owner, height, stored, reported: BigInt(value) });
    }
  }
  return { owners, rows };
};

/** Replaces the result of a response with an error. */
export const refuse = (response: ProxiedResponse, message: string) => {
  delete response.result;
  response.error = { code: -32601, message };
};
/** Replaces the result of a trace request with an error, as a node without traces responds. */
export const withoutTraces = (method: string, response: ProxiedResponse) => {
  if (/^(debug|trace)_/.test(method)) refuse(response, "the method does not exist");
};
