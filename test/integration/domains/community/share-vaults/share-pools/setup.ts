import { createRandom } from "../../../../../../demo/story/random.ts";
import type { Address } from "../../../../../../runtime/lib/hex.ts";
import { startTestChain, type TestChain } from "../../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../../support/database.ts";
import { demoContracts } from "../../../../../support/demo-contracts.ts";
import { builtInProtocol, createItemsOf, type ItemsOf, insertTokens, timeOf } from "../../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../../support.ts";
import { approveAll, deployShared, ownContracts, type SharedContracts, tokenDecimals } from "../contracts.ts";
import { eventsOf } from "../logs.ts";

const protocol = builtInProtocol("protocol_09");
const random = createRandom("share pools");
/** US dollars per whole token. */
const price = 3;
const dayCount = 10;
/** A pool's deposit event. */
export const depositEvent = "Deposit(address indexed owner, uint256 shares, uint256 amount)";
/** A pool's withdrawal event. */
export const withdrawEvent = "Withdraw(address indexed owner, uint256 shares, uint256 amount)";

/** The test chain. */
export let chain: TestChain;
/** The database of the index. */
export let testDatabase: TestDatabase;
let index: CommunityIndex;
/** The token, accounts and router that the pools share. */
export let shared: SharedContracts;
/** Two pools that are used, and one that is empty. */
export let pools: readonly [Address, Address, Address];
/** The newest block. */
export let head: number;
/** Reads an operation's items. */
export let itemsOf: ItemsOf;

/** Six of the blocks that end a day. */
export const heights = (): number[] => [0, 2, 4, 5, 7, 9].map((day) => head - dayCount + 1 + day);
/** The value of an amount of the token. */
export const inDollars = (amount: bigint): number => (Number(amount) / 10 ** tokenDecimals) * price;

/** The newest block up to a height with a pool's deposit or withdrawal in the node's logs; null if there is none. */
export const usedAt = async (pool: Address, height: number): Promise<number | null> => {
  const [deposits, withdrawals] = await Promise.all([eventsOf(chain, [pool], depositEvent), eventsOf(chain, [pool], withdrawEvent)]);
  const blocks = [...deposits, ...withdrawals].map(({ block }) => block).filter((block) => block <= height);
  return blocks.length === 0 ? null : Math.max(...blocks);
};

/** Runs ten days of deposits and withdrawals, and indexes them. */
export const setUp = async () => {
  chain = await startTestChain();
  shared = await deployShared(chain);
  const { people, strategist, collector, token, router, callOf } = shared;
  const deployPool = () => chain.deploy(demoContracts("SharePool"), ["Pool", "POOL", token, strategist, collector]);
  pools = [await deployPool(), await deployPool(), await deployPool()];
  await approveAll(chain, shared, pools);
  const hostile = [await chain.deploy(ownContracts("Hostile"), [false]), await chain.deploy(ownContracts("Hostile"), [true])];
  testDatabase = await createTestDatabase();
  index = await startCommunityIndex(chain, testDatabase.database, {
    protocols: [protocol],
    community: { protocol_09: { vault: [...pools, ...hostile] } },
  });
  const start = (await timeOf(chain, await chain.head())) + 86_400;
  for (let day = 0; day < dayCount; day += 1) {
    for (let count = 0; count < 4; count += 1) {
      const [from, to, pool] = [random.pick(people), random.pick(people), random.pick(pools.slice(0, 2))];
      const amount = BigInt(random.between(1, 10 ** 9));
      await chain.send(
        callOf(from, "SharePool", pool, "deposit", [amount]),
        callOf(to, "SharePool", pool, "withdraw", [amount * 10n ** 11n]),
        callOf(from, "SharePool", pool, "transfer", [to, amount * 10n ** 10n]),
        callOf(to, "Router", router, "depositIntoPool", [pool, token, amount]),
      );
    }
    await chain.send(
      ...pools
        .slice(0, 2)
        .flatMap((pool) => [
          callOf(strategist, "SharePool", pool, "lend", [BigInt(random.between(1, 10 ** 6))]),
          callOf(strategist, "SharePool", pool, "report", [BigInt(random.between(1, 10 ** 6))]),
        ]),
    );
    if (day === 5)
      await chain.send(
        ...hostile.flatMap((address) => [
          callOf(people[0], "Hostile", address, "act", [people[0]]),
          callOf(people[0], "Hostile", address, "emitGarbage", [people[0]]),
        ]),
      );
    await chain.mine(start + day * 86_400);
  }
  await index.sync();
  head = await chain.head();
  await insertTokens(testDatabase.database, [
    { address: token, name: "Coin", decimals: tokenDecimals, price },
    ...pools.map((address) => ({ address, name: "Pool", decimals: 18 })),
  ]);
  itemsOf = createItemsOf(testDatabase.database, protocol);
};

/** Stops what `setUp` started. */
export const tearDown = async () => {
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
};
