import type { Address } from "../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { contracts } from "./contracts.ts";
import { type AllowanceIndex, deployMulticall, type ResponseData, readWords, startAllowanceIndex, viewCalls } from "./support.ts";

/** A chain with a coin, and its index. The coin's owner has 1,000 units. */
export interface AllowanceChain {
  readonly chain: TestChain;
  readonly testDatabase: TestDatabase;
  /** Replaced by tests that restart the index. */
  index: AllowanceIndex;
  readonly owner: Address;
  readonly spender: Address;
  readonly other: Address;
  readonly coin: Address;
  /** Mines transactions in one block. */
  mineAll(...transactions: readonly TestTransaction[]): Promise<void>;
  /** The served allowance of a token for a spender; null if it is unknown, undefined if it is not listed. */
  servedAllowance(token?: Address, to?: Address): Promise<string | null | undefined>;
  nodeAllowance(token?: Address, to?: Address): Promise<string | undefined>;
  /** The read queue. */
  reads(): Promise<{ owner: Address; read_at_block: number | null; attempts: number }[]>;
  end(): Promise<void>;
}

/** Calls a coin's approve(). */
export const approve = (from: Address, token: Address, to: Address, amount: bigint) => ({
  from,
  ...encodeCall(contracts("Coin"), token, "approve", [to, amount]),
});

/** Calls a coin's transferFrom(). */
export const transferFrom = (sender: Address, token: Address, from: Address, to: Address, amount: bigint) => ({
  from: sender,
  ...encodeCall(contracts("Coin"), token, "transferFrom", [from, to, amount]),
});

/** Calls a token whose allowances and events differ. */
export const callInconsistent = (from: Address, token: Address, name: string, args: readonly unknown[]) => ({
  from,
  ...encodeCall(contracts("Inconsistent"), token, name, args),
});

/** Starts the chain and an index that follows it. */
export const openAllowanceChain = async (): Promise<AllowanceChain> => {
  const chain = await startTestChain();
  await deployMulticall(chain);
  const [owner, spender, other] = chain.accounts.slice(1, 4) as [Address, Address, Address];
  const coin = await chain.deploy(contracts("Coin"), ["NEW"]);
  const mineAll = async (...transactions: readonly TestTransaction[]) => {
    await chain.send(...transactions);
    await chain.mine();
  };
  await mineAll(encodeCall(contracts("Coin"), coin, "mint", [owner, 1_000n]));
  const testDatabase = await createTestDatabase();
  const opened: AllowanceChain = {
    chain,
    testDatabase,
    index: await startAllowanceIndex(chain, testDatabase.database),
    owner,
    spender,
    other,
    coin,
    mineAll,
    servedAllowance: async (token = coin, to = spender) => {
      const { items } = await opened.index.get(`approvals/${owner}/`);
      const item = items.find((entry: ResponseData) => entry.token_address === token);
      return item?.spenders.find((entry: ResponseData) => entry.spender_address === to)?.allowance;
    },
    nodeAllowance: async (token = coin, to = spender) =>
      (await readWords(chain, [viewCalls.allowance(token, owner, to)], await chain.head()))[0]?.toString(),
    reads: () => testDatabase.database.query("SELECT owner, read_at_block, attempts FROM allowance_reads ORDER BY block_number"),
    end: async () => {
      await opened.index.end();
      await testDatabase.drop();
      await chain.stop();
    },
  };
  return opened;
};
