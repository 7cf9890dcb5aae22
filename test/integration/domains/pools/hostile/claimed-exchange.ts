import { encodeAbiParameters, pad } from "viem";
import { poolsProjection } from "../../../../../runtime/domains/pools/projection/index.ts";
import { tokensProjection } from "../../../../../runtime/domains/tokens/projection/index.ts";
import { pairCreated, pairSwap } from "../../../../../runtime/events/pools.ts";
import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import { artifacts, startTestChain, type TestChain } from "../../../../support/chain.ts";
import { hashContents } from "../../../../support/contents.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { createTestIndexer } from "../../../../support/indexer/support.ts";
import { servePools, type TestApi } from "../serve-pools.ts";
import { approve, deployExchange, emit, mineTransactions, mint, type TestExchange } from "../support.ts";

/** An exchange with two tokens on a chain on which other contracts emit incorrect events about it. */
export interface ClaimedExchange {
  readonly chain: TestChain;
  readonly exchange: TestExchange;
  readonly testDatabase: TestDatabase;
  readonly api: TestApi;
  readonly tokens: readonly [Address, Address];
  readonly person: Address;
  /** Emits a pool's creation event as a factory. */
  announce(factory: Address, pool: Address, tokens: readonly [Address, Address]): Promise<unknown>;
  /** Emits a pool's swap event. */
  swap(pool: Address, amounts: readonly [bigint, bigint, bigint, bigint]): Promise<unknown>;
  /** Indexes up to the head. */
  index(): Promise<void>;
  contentsOfFreshIndex(): ReturnType<typeof hashContents>;
  end(): Promise<void>;
}

/** Converts an address to lower case. */
export const toLower = (address: string): Address => address.toLowerCase() as Address;
const repeatByte = (byte: string): Address => `0x${byte.repeat(20)}`;
/** Two factories that claim pools of the exchange, and a pool that the exchange's factory did not create. */
export const [impostor, otherFactory, unlistedPool] = [repeatByte("1d"), repeatByte("2d"), repeatByte("3d")];
/** The ABI encoding of a number. */
export const encodeWord = (value: bigint): Hex => encodeAbiParameters([{ type: "uint256" }], [value]);
export const encodeWords = (...values: bigint[]): Hex => `0x${values.map((value) => encodeWord(value).slice(2)).join("")}`;

const indexInto = async (chain: TestChain, { database }: TestDatabase): Promise<void> => {
  const indexer = await createTestIndexer(chain.url, database, { projections: [tokensProjection, poolsProjection] });
  await indexer.runToHead(await chain.head());
  await indexer.close();
};

/** Deploys the exchange and its tokens, and serves their index, with the factories that claim pools configured as exchanges. */
export const openClaimedExchange = async (): Promise<ClaimedExchange> => {
  const chain = await startTestChain();
  const testDatabase = await createTestDatabase();
  const person = toLower(chain.accounts[1] as string);
  const exchange = await deployExchange(chain, toLower(await chain.deploy(artifacts.weth())));
  const deployed = [await chain.deploy(artifacts.erc20(), ["One", "ONE"]), await chain.deploy(artifacts.erc20(), ["Two", "TWO"])]
    .map(toLower)
    .sort();
  const tokens = deployed as unknown as readonly [Address, Address];
  await mineTransactions(chain, [
    ...tokens.map((token) => mint(token, person, 10n ** 12n)),
    ...tokens.map((token) => approve(person, token, exchange.router)),
  ]);
  const api = await servePools(testDatabase.database, [
    { name: "swap", factory: exchange.factory },
    { name: "impostor", factory: impostor },
    { name: "ranges", factory: otherFactory, family: "concentrated" },
  ]);
  return {
    chain,
    exchange,
    testDatabase,
    api,
    tokens,
    person,
    announce: (factory, pool, [first, second]) =>
      emit(chain, factory, [pairCreated.topic0, pad(first), pad(second)], `${pad(pool)}${encodeWord(1n).slice(2)}`),
    swap: (pool, amounts) => emit(chain, pool, [pairSwap.topic0, pad(person), pad(person)], encodeWords(...amounts)),
    index: () => indexInto(chain, testDatabase),
    contentsOfFreshIndex: async () => {
      const other = await createTestDatabase();
      await indexInto(chain, other);
      const rows = await hashContents(other.database);
      await other.drop();
      return rows;
    },
    end: async () => {
      await api.end();
      await testDatabase.drop();
      await chain.stop();
    },
  };
};
