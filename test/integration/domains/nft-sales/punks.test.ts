import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database } from "../../../../runtime/database/database.ts";
import { salesProjection } from "../../../../runtime/domains/nft-sales/projection/index.ts";
import { tokensProjection } from "../../../../runtime/domains/tokens/projection/index.ts";
import { type Address, type Hash, nativeTokenAddress, zeroAddress } from "../../../../runtime/lib/hex.ts";
import { type Artifact, encodeCall, startTestChain, type TestChain, type TestTransaction } from "../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/database.ts";
import { chainOf, createTestIndexer } from "../../../support/indexer/support.ts";
import { compileSolidity } from "../../../support/solidity.ts";
import type { ResponseData, TestApi } from "../pools/serve-pools.ts";
import { mineTransactions, readContract } from "../pools/support.ts";
import { ether, firstDay, firstMidnight, salesIn, secondsPerDay, serveNftMarket, toLower } from "./nft-market.ts";

/** A contract with the events and functions of CryptoPunks. */
const source = new URL("../../../../demo/contracts/punk-like.sol", import.meta.url);
const punkIds = Array.from({ length: 12 }, (_, id) => BigInt(id));
let punkLike: Artifact;
let chain: TestChain;
let punks: Address;
let accounts: readonly [Address, Address, Address];
let acceptedBid: Hash;
let heights: Record<"assigned" | "opened" | "moved" | "bought" | "end", number>;
const databases: TestDatabase[] = [];
let api: TestApi;

const callPunks = (from: Address, name: string, args: readonly unknown[], value = 0n): TestTransaction => ({
  from,
  value,
  ...encodeCall(punkLike, punks, name, args),
});
const mineOn = (day: number, ...transactions: TestTransaction[]): Promise<Hash[]> =>
  mineTransactions(chain, transactions, firstMidnight + day * secondsPerDay + 43_200);

const indexFrom = async (from: number): Promise<Database> => {
  const testDatabase = await createTestDatabase();
  databases.push(testDatabase);
  const projections = [tokensProjection, salesProjection];
  const running = await createTestIndexer(chain.url, testDatabase.database, { projections, chain: chainOf({ from }) });
  await running.runToHead(await chain.head());
  await running.close();
  return testDatabase.database;
};

/** Returns each punk's owner at a height, from the index. */
const ownersAt = async (database: Database, height: number): Promise<Record<string, Address>> => {
  const rows = await database.query<{ token_id: string; owner: Address }>(
    `SELECT token_id, owner FROM (
       SELECT token_id, owner, balance, since_block AS since, NULL AS until FROM nft_balances WHERE standard = 2
       UNION ALL SELECT token_id, owner, balance, from_block, to_block FROM nft_balance_periods WHERE standard = 2) b
     WHERE balance = 1 AND since <= $1 AND coalesce(until, $1) >= $1 ORDER BY token_id`,
    [height],
  );
  return Object.fromEntries(rows.map(({ token_id, owner }) => [token_id, owner]));
};

/** Returns each punk's owner at a height, from the contract. */
const contractOwnersAt = async (height: number): Promise<Record<string, Address>> => {
  const owners = await Promise.all(punkIds.map((id) => readContract<Address>(chain, punkLike, punks, "punkIndexToAddress", [id], height)));
  return Object.fromEntries(owners.map((owner, id) => [String(id), toLower(owner)] as const).filter(([, owner]) => owner !== zeroAddress));
};

beforeAll(async () => {
  punkLike = compileSolidity(readFileSync(source, "utf8"))("PunkLike");
  chain = await startTestChain();
  const [deployer, ...others] = chain.accounts.map(toLower) as [Address, ...Address[]];
  accounts = others.slice(0, 3) as unknown as typeof accounts;
  const [anna, ben, cleo] = accounts;
  punks = toLower(await chain.deploy(punkLike, [20n]));
  await mineOn(
    0,
    callPunks(deployer, "setInitialOwners", [
      [anna, anna, anna, anna, anna, ben],
      [0n, 1n, 2n, 3n, 4n, 5n],
    ]),
  );
  const assigned = await chain.head();
  await mineOn(
    0.1,
    callPunks(deployer, "allInitialOwnersAssigned", []),
    callPunks(cleo, "getPunk", [6n]),
    callPunks(anna, "getPunk", [7n]),
  );
  const opened = await chain.head();
  await mineOn(
    1,
    callPunks(anna, "transferPunk", [ben, 0n]),
    callPunks(anna, "offerPunkForSale", [1n, ether]),
    callPunks(cleo, "buyPunk", [1n], 2n * ether),
  );
  const moved = await chain.head();
  // The highest bid that is not withdrawn determines a punk's price. On day 4, a punk is bought for nothing.
  await mineOn(
    2,
    callPunks(ben, "enterBidForPunk", [2n], ether),
    callPunks(ben, "enterBidForPunk", [3n], 9n * ether),
    callPunks(cleo, "enterBidForPunk", [2n], 3n * ether),
    callPunks(cleo, "enterBidForPunk", [4n], 5n * ether),
    callPunks(cleo, "withdrawBidForPunk", [4n]),
    callPunks(ben, "enterBidForPunk", [4n], ether / 2n),
  );
  const [accepted] = await mineOn(3, callPunks(anna, "acceptBidForPunk", [2n, ether]));
  acceptedBid = accepted as Hash;
  await mineOn(
    4,
    callPunks(anna, "acceptBidForPunk", [4n, 0n]),
    callPunks(anna, "offerPunkForSaleToAddress", [7n, 0n, ben]),
    callPunks(ben, "buyPunk", [7n]),
  );
  const bought = await chain.head();
  // Punk 1 is sold back to its seller of day 1.
  await mineOn(20, callPunks(cleo, "offerPunkForSaleToAddress", [1n, 7n * ether, anna]), callPunks(anna, "buyPunk", [1n], 7n * ether));
  heights = { assigned, opened, moved, bought, end: await chain.head() };
  const database = await indexFrom(0);
  api = await serveNftMarket(database, { weth: punks }, [{ protocol: "cryptopunks", address: punks }]);
}, 120_000);
afterAll(async () => {
  await api?.end();
  for (const testDatabase of databases) await testDatabase.drop();
  await chain?.stop();
});

describe("CryptoPunks", () => {
  it("have the contract's owners at every height", async () => {
    const database = databases[0]?.database as Database;
    for (const height of Object.values(heights)) {
      const owners = await ownersAt(database, height);
      expect(owners, String(height)).toEqual(await contractOwnersAt(height));
    }
    // A punk sold to a bid belongs to the bidder, whom the contract's event does not name.
    expect((await ownersAt(database, heights.bought))[2]).toBe(accounts[2]);
    expect(Object.keys(await ownersAt(database, heights.assigned))).toHaveLength(6);
  });

  it("are sold at the price paid or bid; free transfers are not sales", async () => {
    const [anna, ben, cleo] = accounts;
    const line = (day: number, id: bigint, seller: Address, buyer: Address, price: bigint, isWash = false) =>
      [day, punks, id, 1n, seller, buyer, nativeTokenAddress, price, isWash].join(" ");
    expect(await salesIn(databases[0]?.database as Database)).toEqual([
      line(1, 1n, anna, cleo, 2n * ether, true),
      line(3, 2n, anna, cleo, 3n * ether),
      line(4, 4n, anna, ben, ether / 2n),
      line(20, 1n, cleo, anna, 7n * ether, true),
    ]);
  });

  it("have market data as a collection", async () => {
    const { items } = await api.get(`nft_market/${punks}/volume/?days=20`);
    const volumes = Object.fromEntries(
      items.map((item: ResponseData) => [item.date.slice(0, 10), [item.volume_native_quote, item.wash_volume_native_quote]]),
    );
    const day = (number: number) => new Date((firstDay + number) * secondsPerDay * 1_000).toISOString().slice(0, 10);
    expect([1, 2, 3, 4, 20].map((number) => volumes[day(number)])).toEqual([
      [2, 2],
      [0, 0],
      [3, 0],
      [0.5, 0],
      [7, 7],
    ]);
    const [report] = (await api.get(`transaction_v2/${acceptedBid}/?with-nft-sales=true`)).items[0].nft_sale_details;
    expect(report).toMatchObject({
      topic0: "0x58e5d5a525e3b40bc15abaa38b5882678db1ee68befd2f60bafe3a7fd06db9e3",
      token_id: "2",
      maker: accounts[2],
      taker: accounts[0],
      nft_token_price: 3,
    });
    // The contract also emits ERC-20 transfers, so it has both standards.
    const [balance] = (await api.get(`address/${accounts[2]}/balances_v2/`)).items.filter(
      (item: ResponseData) => item.contract_address === punks,
    );
    expect(balance.supports_erc).toEqual(["erc20", "erc721"]);
  });

  it("are sold at an unknown price if the bid was placed before the first indexed block", async () => {
    const [anna, ben, cleo] = accounts;
    // The block of day 3 follows the block of the bids.
    const late = await indexFrom(heights.moved + 2);
    const sales = await salesIn(late);
    expect(sales[0]).toBe([3, punks, 2n, 1n, anna, cleo, null, null, false].join(" "));
    expect(sales[1]).toBe([4, punks, 4n, 1n, anna, ben, null, null, false].join(" "));
    const days = await late.query("SELECT payment_token, sales, amount, lowest FROM nft_market_days ORDER BY day LIMIT 1");
    expect(days).toEqual([{ payment_token: zeroAddress, sales: 1, amount: "0", lowest: null }]);
  });
});
