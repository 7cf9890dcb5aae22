import { type Address, encodeFunctionData, type Hash } from "viem";
import { safesProjection } from "../../../../runtime/domains/safes/projection.ts";
import { startTestChain, type TestChain } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { createTestIndexer } from "../../../support/indexer/support.ts";
import { type ResponseData, servePools, type TestApi } from "../pools/serve-pools.ts";
import { accountAt, type TestSafe } from "./support.ts";

type Account = ReturnType<typeof accountAt>;
/** Owners of Safes, and an account that owns none. */
export const [anna, ben, cleo, dora, outsider] = [1, 2, 3, 4, 5].map(accountAt) as [Account, Account, Account, Account, Account];
/** An address in lower case, as in responses. */
export const toLower = (address: Address): Address => address.toLowerCase() as Address;
/** A call without effect. */
export const emptyCall = { to: outsider.address };
/** The predecessor of the first owner in a Safe's list. */
export const sentinel: Address = "0x0000000000000000000000000000000000000001";

/** A chain, its index of Safes and the API that serves it. */
export interface IndexedSafes {
  readonly chain: TestChain;
  readonly testDatabase: TestDatabase;
  readonly api: TestApi;
  indexToHead(into?: TestDatabase): Promise<void>;
  /** The types and owners of a transaction's signatures, as the API returns them. */
  detailsOf(hash: Hash): Promise<(readonly [string | null, Address | null])[]>;
  end(): Promise<void>;
}

/** Starts a chain without Safes. */
export const openIndexedSafes = async (): Promise<IndexedSafes> => {
  const chain = await startTestChain();
  const testDatabase = await createTestDatabase();
  const api = await servePools(testDatabase.database, []);
  const indexToHead = async (into = testDatabase) => {
    const running = await createTestIndexer(chain.url, into.database, { projections: [safesProjection] });
    await running.runToHead(await chain.head());
    await running.close();
  };
  return {
    chain,
    testDatabase,
    api,
    indexToHead,
    detailsOf: async (hash) => {
      await indexToHead();
      const { items } = await api.get(`week/transaction_v2/${hash}/?with-safe=true`);
      return items[0].safe_details.map((details: ResponseData) => [details.signature_type, details.owner_address]);
    },
    end: async () => {
      await api.end();
      await testDatabase.drop();
      await chain.stop();
    },
  };
};

/** The expected details of checked signatures, in order of owner. */
export const inOwnerOrder = (details: readonly (readonly [string, Address])[]) =>
  details.map(([type, owner]) => [type, toLower(owner)] as const).sort((left, right) => (left[1] < right[1] ? -1 : 1));

/** A Safe call that removes one of its owners. */
export const removal = ({ artifact, address }: TestSafe, owner: Address, previous: Address, threshold: bigint) => ({
  to: address,
  data: encodeFunctionData({ abi: artifact.abi, functionName: "removeOwner", args: [previous, owner, threshold] }),
});
