import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createRandom } from "../../../../../demo/story/random.ts";
import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import { encodeCall, startTestChain, type TestChain } from "../../../../support/chain.ts";
import { createTestDatabase, type TestDatabase } from "../../../../support/database.ts";
import { builtInProtocol, createItemsOf, expectPages, type ItemsOf, insertTokens } from "../operations.ts";
import { type CommunityIndex, startCommunityIndex } from "../support.ts";
import { contracts } from "./contracts.ts";
import { type Pool, type PoolMarket, startPoolMarket, vaultArtifact } from "./market.ts";

const random = createRandom("transactions with pools");
const protocol = builtInProtocol("protocol_02");

// keccak256 of the signatures in the vault's ABI.
const balanceChangeTopic = "0xe5ce249087ce04f05a957192435400fd97868dba0e6a4b4c049abf8af80dae78";
const swapTopic = "0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b";
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

interface Leg {
  readonly direction: "IN" | "OUT";
  readonly contract_address: Address;
  readonly amount: string;
  readonly quote: number | null;
}

interface Receipt {
  readonly from: Address;
  readonly transactionHash: Hex;
  readonly blockNumber: Hex;
  readonly logs: readonly { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex; readonly logIndex: Hex }[];
}

let chain: TestChain;
let market: PoolMarket;
let testDatabase: TestDatabase;
let index: CommunityIndex;
let itemsOf: ItemsOf;
let head: number;
const receipts: Receipt[] = [];

beforeAll(async () => {
  chain = await startTestChain();
  market = await startPoolMarket(chain);
  for (let block = 0; block < 12; block += 1) {
    await chain.send(...Array.from({ length: 8 }, () => market.randomTransaction(random)));
    await chain.mine();
  }
  testDatabase = await createTestDatabase();
  index = await startCommunityIndex(chain, testDatabase.database, {
    protocols: [protocol],
    community: { protocol_02: { vault: [market.vault] } },
  });
  await index.sync();
  head = await chain.head();
  await insertTokens(testDatabase.database, [
    ...market.tokens,
    ...market.pools.map(({ address, name }) => ({ address, name, decimals: 18 })),
  ]);
  itemsOf = createItemsOf(testDatabase.database, protocol);
  for (let block = 1; block <= head; block += 1) receipts.push(...(await chain.rpc<Receipt[]>("eth_getBlockReceipts", [toHex(block)])));
});
afterAll(async () => {
  await index?.end();
  await testDatabase?.drop();
  await chain?.stop();
});

const toHex = (block: number): Hex => `0x${block.toString(16)}`;
const addressOf = (topic: Hex | undefined): Address => `0x${topic?.slice(26)}`;

/** An account's net receipts by token, from a transaction's Transfer logs. */
const netTransfers = ({ logs }: Receipt, account: Address): Record<string, bigint> => {
  const net: Record<string, bigint> = {};
  for (const { address, topics, data } of logs) {
    if (topics[0] !== transferTopic) continue;
    const sign = (addressOf(topics[2]) === account ? 1n : 0n) - (addressOf(topics[1]) === account ? 1n : 0n);
    net[address] = (net[address] ?? 0n) + sign * BigInt(data);
  }
  return Object.fromEntries(Object.entries(net).filter(([, amount]) => amount !== 0n));
};

const netAmounts = (legs: readonly Leg[]): Record<string, bigint> => {
  const net: Record<string, bigint> = {};
  for (const { direction, contract_address: token, amount } of legs)
    net[token] = (net[token] ?? 0n) + (direction === "IN" ? 1n : -1n) * BigInt(amount);
  return Object.fromEntries(Object.entries(net).filter(([, amount]) => amount !== 0n));
};

/** The tokens that an account transferred or received in a transaction. */
const movedTokens = ({ logs }: Receipt, account: Address): Address[] =>
  logs
    .filter(({ topics: [topic, from, to] }) => topic === transferTopic && [from, to].map(addressOf).includes(account))
    .map(({ address }) => address);

/** The vault events for which an account sent the transaction, is the provider, or moved an event token or pool shares; newest first. */
const expectedEvents = (account: Address) =>
  receipts
    .flatMap((receipt) => {
      const moved = movedTokens(receipt, account);
      return receipt.logs.flatMap(({ address, topics, logIndex }) => {
        const isSwap = topics[0] === swapTopic;
        if (address !== market.vault || (!isSwap && topics[0] !== balanceChangeTopic)) return [];
        const pool = market.pools.find(({ id }) => id === topics[1]);
        const tokens = [...(isSwap ? topics.slice(2).map(addressOf) : (pool?.tokens ?? [])), pool?.address];
        const isOwn =
          receipt.from === account || (!isSwap && addressOf(topics[2]) === account) || moved.some((token) => tokens.includes(token));
        return isOwn
          ? [
              {
                tx_hash: receipt.transactionHash,
                block_height: Number(receipt.blockNumber),
                log_offset: Number(logIndex),
                pool_address: pool?.address,
                is_swap: isSwap,
              },
            ]
          : [];
      });
    })
    .sort((left, right) => right.block_height - left.block_height || right.log_offset - left.log_offset);

/** All wallets' items. */
const allItems = async () => (await Promise.all(market.people.map((wallet) => itemsOf("transactions", { height: head, wallet })))).flat();

const usdOf = ({ contract_address, amount }: Leg): number | null => {
  const knownToken = market.tokens.find(({ address }) => address === contract_address);
  return knownToken?.price === undefined ? null : (Number(amount) / 10 ** (knownToken.decimals ?? 0)) * knownToken.price;
};

const expectClose = (actual: unknown, expected: number | null): void => {
  if (expected === null) expect(actual).toBeNull();
  else expect(Math.abs((actual as number) / expected - 1)).toBeLessThan(1e-9);
};

describe("transactions of protocol 02", () => {
  it("are the vault's events in the wallet's transactions, newest first", async () => {
    const actions = new Set<unknown>();
    for (const wallet of market.people) {
      const items = await itemsOf("transactions", { height: head, wallet });
      const actual = items.map(({ tx_hash, block_height, log_offset, pool_address, action }) => ({
        tx_hash,
        block_height,
        log_offset,
        pool_address,
        is_swap: action === "swap",
      }));
      expect(actual).toEqual(expectedEvents(wallet));
      for (const { action } of items) actions.add(action);
    }
    expect(actions).toEqual(new Set(["join", "exit", "swap"]));
  });

  it("have amounts that add up, per transaction, to the change in the wallet's balances", async () => {
    let compared = 0;
    for (const wallet of market.people) {
      const items = await itemsOf("transactions", { height: head, wallet });
      for (const receipt of receipts) {
        const transactionItems = items.filter(({ tx_hash }) => tx_hash === receipt.transactionHash);
        if (transactionItems.length === 0) continue;
        compared += 1;
        const legs = transactionItems.flatMap(({ amounts }) => amounts as Leg[]);
        expect(netAmounts(legs), receipt.transactionHash).toEqual(netTransfers(receipt, wallet));
      }
    }
    expect(compared).toBeGreaterThan(50);
  });

  it("name the transaction's sender", async () => {
    const senders = new Map(receipts.map(({ transactionHash, from }) => [transactionHash as unknown, from]));
    for (const { tx_hash, from_address } of await allItems()) expect(from_address).toBe(senders.get(tx_hash));
  });

  it("have the values of their amounts, and as their total the value that the wallet paid, or received if it paid nothing", async () => {
    for (const { amounts, total_quote, pool_address } of await allItems()) {
      const legs = amounts as Leg[];
      // Shares have the value of what they were exchanged for.
      for (const leg of legs.filter(({ contract_address }) => contract_address !== pool_address)) expectClose(leg.quote, usdOf(leg));
      const paid = legs.filter(({ direction }) => direction === "OUT");
      const quotes = (paid.length > 0 ? paid : legs).map(({ quote }) => quote);
      expectClose(
        total_quote,
        quotes.length === 0 || quotes.includes(null) ? null : quotes.reduce<number>((sum, quote) => sum + (quote ?? 0), 0),
      );
    }
  });

  it("value the shares of an exit at the tokens that the pool returned for them", async () => {
    const [wallet] = market.people as [Address];
    const [pool] = market.pools as [Pool];
    const exits = (await itemsOf("transactions", { height: head, wallet })).filter(
      ({ action, amounts, pool_address }) => action === "exit" && pool_address === pool.address && (amounts as Leg[]).length === 3,
    );
    expect(exits.length).toBeGreaterThan(0);
    for (const { amounts } of exits) {
      const [shares, ...tokens] = amounts as [Leg, Leg, Leg];
      expect(shares).toMatchObject({ direction: "OUT", contract_address: pool.address });
      const received = tokens.reduce((sum, { quote }) => sum + (quote ?? 0), 0);
      expect(Math.abs((shares.quote as number) / received - 1)).toBeLessThan(1e-9);
    }
  });

  it("are paginated up to the as-of block", async () => {
    const [, wallet] = market.people as [Address, Address];
    await expectPages(itemsOf, wallet, head, head - 4);
  });

  it("omit actions of other accounts in the same block, and transactions without the vault", async () => {
    const [first, second] = market.people as [Address, Address];
    const [pool] = market.pools as [Pool];
    const [token] = pool.tokens as [Address];
    const before = await itemsOf("transactions", { height: head, wallet: first });
    await chain.send(
      { from: second, ...encodeCall(vaultArtifact, market.vault, "joinPool", [pool.id, second, second, [], 10n ** 15n]) },
      { from: first, ...encodeCall(contracts("Coin"), token, "transfer", [second, 5n]) },
    );
    await chain.mine();
    await index.sync();
    expect(await itemsOf("transactions", { height: await chain.head(), wallet: first })).toEqual(before);
  });
});
