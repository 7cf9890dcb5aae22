import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Address, type Hash, nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import { encodeCall } from "../../../../support/chain.ts";
import { flowsOf } from "../sushiswap/pool-actions.ts";
import { ownContracts } from "./contracts.ts";
import { type PoolLog, poolLogs } from "./market.ts";
import { expectNear, type StableIndex, startStableIndex } from "./pool-index.ts";

interface Amount {
  readonly direction: "IN" | "OUT";
  readonly contract_address: Address;
  readonly amount: string;
  readonly quote: number | null;
}
type Item = Record<string, unknown> & { amounts: Amount[] };

let pools: StableIndex;

beforeAll(async () => {
  pools = await startStableIndex("stable transactions");
}, 120_000);
afterAll(() => pools?.end());

const transactionsOf = async (wallet: Address, parameters: { height?: number; limit?: number; offset?: number } = {}) =>
  (await pools.itemsOf("transactions", { wallet, ...parameters })) as Item[];

const actionNames: Readonly<Record<string, string>> = {
  TokenExchange: "exchange",
  AddLiquidity: "add_liquidity",
  RemoveLiquidity: "remove_liquidity",
  RemoveLiquidityImbalance: "remove_liquidity_imbalance",
  RemoveLiquidityOne: "remove_liquidity_one_coin",
};

const accountOf = ({ args }: PoolLog): string => String(args.buyer ?? args.provider).toLowerCase();

/** The wallet's net receipts by token in each transaction, without the native currency, which has no transfers. */
const flowsByTransaction = (items: readonly Item[]): Map<Hash, Record<Address, bigint>> => {
  const flows = new Map<Hash, Record<Address, bigint>>();
  for (const { tx_hash, amounts } of items) {
    const transactionFlows = flows.get(tx_hash as Hash) ?? {};
    for (const { direction, contract_address: token, amount } of amounts)
      if (token !== nativeTokenAddress)
        transactionFlows[token] = (transactionFlows[token] ?? 0n) + (direction === "IN" ? BigInt(amount) : -BigInt(amount));
    flows.set(tx_hash as Hash, transactionFlows);
  }
  return flows;
};

const expectFlows = async (items: readonly Item[], wallet: Address): Promise<void> => {
  for (const [hash, flows] of flowsByTransaction(items)) {
    const moved = Object.fromEntries(Object.entries(flows).filter(([, flow]) => flow !== 0n));
    expect(moved, `${wallet} in ${hash}`).toEqual(await flowsOf(pools.chain, hash, wallet));
  }
};

/** The native currency that a pool received, minus what it paid, according to one of its logs. */
const nativeOf = ({ name, args, pool }: PoolLog): bigint => {
  const i = BigInt(pool.coins.indexOf(nativeTokenAddress));
  const amounts = args.token_amounts as readonly bigint[] | undefined;
  if (name === "TokenExchange")
    return args.sold_id === i ? (args.tokens_sold as bigint) : args.bought_id === i ? -(args.tokens_bought as bigint) : 0n;
  return amounts === undefined ? 0n : name === "AddLiquidity" ? (amounts[0] ?? 0n) : -(amounts[0] ?? 0n);
};

describe("transactions of protocol 05", () => {
  it("are the wallet's exchanges and liquidity changes in the node's logs, newest first", async () => {
    const logs = await poolLogs(pools.chain, pools.market.pools);
    for (const wallet of pools.market.people) {
      const items = (await transactionsOf(wallet)).filter(({ pool_address }) => pool_address !== pools.market.hostile);
      const actual = items.map(({ action, block_height, log_offset, tx_hash, pool_address, from_address }) => ({
        action,
        block_height,
        log_offset,
        tx_hash,
        pool_address,
        from_address,
      }));
      const walletLogs = logs.filter((log) => accountOf(log) === wallet).reverse();
      expect(actual).toEqual(
        walletLogs.map(({ name, block, index, transaction, pool }) => ({
          action: actionNames[name],
          block_height: block,
          log_offset: index,
          tx_hash: transaction,
          pool_address: pool.address,
          from_address: wallet,
        })),
      );
    }
    expect(new Set(logs.map(({ name }) => name))).toEqual(new Set(Object.keys(actionNames)));
  });

  it("have the amounts that the wallet sent and received in the transfers of each transaction", async () => {
    for (const wallet of pools.market.people) await expectFlows(await transactionsOf(wallet), wallet);
  });

  it("have amounts in the native currency, which has no transfers", async () => {
    const { ether, people } = pools.market;
    const logs = (await poolLogs(pools.chain, [ether])).filter(({ name }) => name !== "RemoveLiquidityOne");
    const items = (await Promise.all(people.map((wallet) => transactionsOf(wallet)))).flat();
    let compared = 0;
    for (const log of logs) {
      const item = items.find(({ block_height, log_offset }) => block_height === log.block && log_offset === log.index);
      const native = item?.amounts.find(({ contract_address }) => contract_address === nativeTokenAddress);
      const signed = native === undefined ? 0n : BigInt(native.amount) * (native.direction === "OUT" ? 1n : -1n);
      expect(signed, `${log.name} in ${log.block}`).toBe(nativeOf(log));
      compared += signed === 0n ? 0 : 1;
    }
    expect(compared).toBeGreaterThan(3);
  });

  it("have the value of the tokens that the wallet paid", async () => {
    const { people, tokens } = pools.market;
    const items = (await Promise.all(people.map((wallet) => transactionsOf(wallet)))).flat();
    const exchanges = items.filter(({ action }) => action === "exchange");
    expect(exchanges.length).toBeGreaterThan(3);
    for (const { amounts, total_quote } of exchanges) {
      const paid = amounts.find(({ direction }) => direction === "OUT");
      const price = { [tokens.dollar]: 1e-6, [tokens.euro]: 1.25e-18, [tokens.odd]: 0.04, [nativeTokenAddress]: 1e-15 }[
        paid?.contract_address ?? ""
      ];
      expectNear(total_quote, paid === undefined || price === undefined ? null : Number(paid.amount) * price, "exchange");
    }
  });

  it("have no amounts for nonexistent coin ids", async () => {
    const { hostile, people } = pools.market;
    const items = await transactionsOf(people[0] as Address);
    expect(items.filter(({ pool_address }) => pool_address === hostile)).toMatchObject([
      { action: "exchange", amounts: [], total_quote: null },
    ]);
  });

  it("are paginated up to the as-of block", async () => {
    const [wallet] = pools.market.people as [Address];
    const height = pools.head - 2;
    const all = await transactionsOf(wallet, { height });
    expect(all).toEqual((await transactionsOf(wallet)).filter(({ block_height }) => (block_height as number) <= height));
    // Some pages end within a block or a transaction.
    for (const limit of [1, 2, 3]) {
      const pages = [];
      for (let offset = 0; offset < all.length; offset += limit) pages.push(...(await transactionsOf(wallet, { height, limit, offset })));
      expect(pages, `${limit} per page`).toEqual(all);
    }
  });

  it("include transactions through a router, with the amounts that each account paid and received", async () => {
    const { chain, market, index } = pools;
    const [first, second, third] = market.people as [Address, Address, Address];
    const { plain, base, router } = market;
    const [dollar, euro] = plain.coins as [Address, Address];
    const exchange = (from: Address, payer: Address, recipient: Address) => ({
      from,
      gas: 3_000_000n,
      ...encodeCall(ownContracts("PoolRouter"), router, "exchangeFor", [plain.address, 0n, 1n, dollar, euro, 5_000_007n, payer, recipient]),
    });
    const amounts = base.coins.map((_, i) => [3_000_000n, 2n * 10n ** 18n, 155n][i] ?? 0n);
    const add = (from: Address, recipient: Address) => ({
      from,
      gas: 3_000_000n,
      ...encodeCall(ownContracts("PoolRouter"), router, "addFor", [base.address, base.shares, base.coins, amounts, recipient]),
    });
    // The sender pays and receives; it pays for another recipient; another account pays. Then additions by and for another account.
    await chain.send(
      exchange(first, first, first),
      exchange(first, first, second),
      exchange(first, second, third),
      add(second, second),
      add(second, first),
    );
    await chain.mine();
    await index.sync();
    const height = await chain.head();
    const counts = [];
    for (const wallet of [first, second, third]) {
      const items = (await transactionsOf(wallet, { height })).filter(({ block_height }) => block_height === height);
      counts.push(items.length);
      await expectFlows(items, wallet);
    }
    // The sender has all transactions that it sent; the others have those in which they paid or received.
    expect(counts).toEqual([4, 4, 1]);
  });
});
