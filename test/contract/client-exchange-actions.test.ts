import { describe, expect, test } from "vitest";
import { expectNear } from "../support/expect-near.ts";
import {
  actionsOf,
  blockTimes,
  exchanges,
  feedOf,
  poolsOf,
  quotedValue,
  type StoryAction,
  type StoryPool,
  toWholeTokens,
} from "../support/story-exchanges.ts";
import { callNode, nodeBatch, storyValue } from "../support/story-node.ts";
import { allPages, chain, dataOf, useNpmClient } from "./npm-client.ts";

const { XykService: service } = await useNpmClient();
const times = await blockTimes();
const head = times.at(-1) ?? 0;

interface ServedAction {
  readonly tx_hash: string;
  readonly act: string;
  readonly block_signed_at: Date;
  readonly amount_0: string | null;
  readonly amount_1: string | null;
  readonly amount_0_in: string | null;
  readonly amount_0_out: string | null;
  readonly amount_1_in: string | null;
  readonly amount_1_out: string | null;
  readonly sender_address: string;
  readonly token_0: { readonly contract_address: string };
  readonly token_1: { readonly contract_address: string };
}

/** A served action, reduced to the compared fields. */
const servedFields = (row: ServedAction) => ({
  hash: row.tx_hash,
  act: row.act,
  time: row.block_signed_at.getTime() / 1000,
  amounts:
    row.act === "SWAP"
      ? [row.amount_0_in, row.amount_1_in, row.amount_0_out, row.amount_1_out].map((text) => BigInt(text ?? -1))
      : [row.amount_0, row.amount_1].map((text) => BigInt(text ?? -1)),
  sender: row.sender_address,
  tokens: [row.token_0.contract_address, row.token_1.contract_address],
});

/** An action from the node's logs, reduced to the same fields. */
const loggedFields = (pools: readonly StoryPool[]) => {
  const tokens = new Map(pools.map(({ pool, token0, token1 }) => [pool, [token0, token1]]));
  return ({ pool, action, hash, time, amountsIn, amountsOut, sender }: StoryAction) => ({
    hash,
    act: action,
    time,
    amounts: action === "SWAP" ? [...amountsIn, ...amountsOut] : action === "ADD_LIQUIDITY" ? [...amountsIn] : [...amountsOut],
    sender,
    tokens: tokens.get(pool),
  });
};

const newestFirst = (actions: readonly StoryAction[]): StoryAction[] => [...actions].reverse();

describe("the npm client's XykService for exchange transactions", () => {
  test.each(exchanges)("getTransactionsForDex iterates over the transactions on %s, as in the pairs' logs", async (exchange) => {
    const pools = await poolsOf(exchange);
    const actions = await actionsOf(pools, times);
    const { items, total } = await allPages((pageNumber) => service.getTransactionsForDex(chain, exchange, { pageSize: 1000, pageNumber }));
    expect(items.map(servedFields)).toEqual(newestFirst(actions).map(loggedFields(pools)));
    expect(total).toBe(actions.length);
    expect(new Set(items.map(({ act }) => act))).toEqual(new Set(["SWAP", "ADD_LIQUIDITY", "REMOVE_LIQUIDITY"]));
  });

  test("getTransactionsForExchange iterates over all of a pool's transactions, including those of a drained pool", async () => {
    const pools = await poolsOf("demo_swap");
    for (const name of ["drainedPair", "tollPair"]) {
      const read = (pageNumber: number) =>
        service.getTransactionsForExchange(chain, "demo_swap", storyValue(name), { pageSize: 30, pageNumber });
      const { items, total } = await allPages(read);
      const actions = await actionsOf(
        pools.filter(({ pool }) => pool === storyValue(name)),
        times,
      );
      expect(items.map(servedFields)).toEqual(newestFirst(actions).map(loggedFields(pools)));
      expect([total, items.every(({ address }) => address === storyValue(name))]).toEqual([actions.length, true]);
    }
  });

  test("getTransactionsForTokenAddress iterates over a token's transactions", async () => {
    const salt = storyValue("saltToken");
    const pools = (await poolsOf("demo_exchange")).filter(({ token0, token1 }) => [token0, token1].includes(salt));
    const { items } = await allPages((pageNumber) =>
      service.getTransactionsForTokenAddress(chain, "demo_exchange", salt, { pageSize: 500, pageNumber }),
    );
    expect(items.map(servedFields)).toEqual(newestFirst(await actionsOf(pools, times)).map(loggedFields(pools)));
    expect(items.length).toBeGreaterThan(1_000);
  });

  test("getTransactionsForAccountAddress returns an account's newest actions, each with its transaction", async () => {
    const trader = storyValue("trader");
    const pools = await poolsOf("demo_exchange");
    const actions = newestFirst(await actionsOf(pools, times));
    const senders = await sendersOf(actions);
    // Actions in transactions that the trader sent, or in which the trader called a pair or received tokens from it.
    const traderActions = actions.filter(({ hash, sender, to }) => [senders.get(hash), sender, to].includes(trader));
    const { items, pagination } = await dataOf(service.getTransactionsForAccountAddress(chain, "demo_exchange", trader));
    expect(pagination.total_count).toBe(traderActions.length);
    // The client does not page through this list: it returns the first hundred.
    expect(items.map(servedFields)).toEqual(traderActions.slice(0, 100).map(loggedFields(pools)));
    expect(traderActions.length).toBeGreaterThan(100);
    const [ether, euro] = [await feedOf("etherFeed", times), await feedOf("euroFeed", times)];
    for (const item of items.slice(0, 20)) {
      const [receipt, transaction] = await Promise.all([
        callNode<{ readonly gasUsed: string; readonly effectiveGasPrice: string }>("eth_getTransactionReceipt", item.tx_hash),
        callNode<{ readonly value: string; readonly from: string }>("eth_getTransactionByHash", item.tx_hash),
      ]);
      const fees = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
      expect([item.fees_paid, item.value, item.from_address, item.address]).toEqual([
        fees,
        BigInt(transaction.value),
        transaction.from,
        trader,
      ]);
      const rate = item.gas_quote_rate;
      expectNear(item.gas_quote, toWholeTokens(fees, 18) * rate);
      expectNear(item.value_quote, toWholeTokens(BigInt(transaction.value), 18) * rate);
      if (item.act === "SWAP") {
        const sides = [
          { ...item.token_0, quote_rate: item.token_0_quote_rate },
          { ...item.token_1, quote_rate: item.token_1_quote_rate },
        ] as const;
        expectNear(item.total_quote, quotedValue(sides, [BigInt(item.amount_0_in), BigInt(item.amount_1_in)]));
      }
    }
    // The newest trades and the newest prices are in the same hour.
    expect(items[0]?.gas_quote_rate).toBe(ether(head + 1));
    const {
      items: [inEuros],
    } = await dataOf(service.getTransactionsForDex(chain, "demo_exchange", { quoteCurrency: "EUR", pageSize: 1 }));
    expect(inEuros?.quote_currency).toBe("EUR");
    expectNear(inEuros?.gas_quote_rate, ether(head + 1) / euro(head + 1));
  });
});

/** Reads who sent each action's transaction. */
async function sendersOf(actions: readonly StoryAction[]): Promise<ReadonlyMap<string, string>> {
  const hashes = [...new Set(actions.map(({ hash }) => hash))];
  const sent = await nodeBatch<{ readonly from: string }>(
    "eth_getTransactionByHash",
    hashes.map((hash) => [hash]),
  );
  return new Map(hashes.map((hash, position) => [hash, sent[position]?.from ?? ""]));
}
