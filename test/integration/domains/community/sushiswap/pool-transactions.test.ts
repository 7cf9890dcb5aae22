import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address, Hash } from "../../../../../runtime/lib/hex.ts";
import { encodeCall } from "../../../../support/chain.ts";
import { approve, mineTransactions, pairLogs, uniswapV2 } from "../../pools/support.ts";
import { actionsOf, flowsOf } from "./pool-actions.ts";
import { decimals, expectNear, type PoolIndex, startPoolIndex } from "./pool-index.ts";

interface Amount {
  readonly direction: "IN" | "OUT";
  readonly contract_address: Address;
  readonly amount: string;
  readonly quote: number | null;
}

let pools: PoolIndex;

beforeAll(async () => {
  pools = await startPoolIndex("transactions in pools");
}, 120_000);
afterAll(() => pools?.end());

const transactionsOf = async (wallet: Address, parameters: { height?: number; limit?: number; offset?: number } = {}) =>
  (await pools.itemsOf("transactions", { wallet, ...parameters })) as (Record<string, unknown> & { amounts: Amount[] })[];

/** The sum of quotes; null if one of them is unknown. */
const sumOf = (amounts: readonly Amount[]): number | null =>
  amounts.reduce<number | null>((sum, { quote }) => (sum === null || quote === null ? null : sum + quote), 0);

/** The wallet's net receipts by token in each transaction. */
const flowsByTransaction = (items: Awaited<ReturnType<typeof transactionsOf>>): Map<Hash, Record<Address, bigint>> => {
  const flows = new Map<Hash, Record<Address, bigint>>();
  for (const { tx_hash, amounts } of items) {
    const transactionFlows = flows.get(tx_hash as Hash) ?? {};
    for (const { direction, contract_address: token, amount } of amounts)
      transactionFlows[token] = (transactionFlows[token] ?? 0n) + (direction === "IN" ? BigInt(amount) : -BigInt(amount));
    flows.set(tx_hash as Hash, transactionFlows);
  }
  return flows;
};

describe("transactions of protocol 07", () => {
  it("are the wallet's swaps and liquidity changes in the node's logs, newest first", async () => {
    const actions = new Set<unknown>();
    for (const wallet of pools.market.people) {
      const items = await transactionsOf(wallet);
      const actual = items.map(({ action, block_height, log_offset, tx_hash, pool_address, from_address }) => ({
        action,
        block_height,
        log_offset,
        tx_hash,
        pool_address,
        from_address,
      }));
      expect(actual).toEqual(await actionsOf(pools.chain, pools.market.pools, wallet, pools.head));
      for (const { action } of items) actions.add(action);
    }
    expect(actions).toEqual(new Set(["swap", "add_liquidity", "remove_liquidity"]));
  });

  it("have the amounts that the wallet sent and received in the transfers of each transaction", async () => {
    for (const wallet of pools.market.people) {
      const actual = flowsByTransaction(await transactionsOf(wallet));
      expect(actual.size).toBeGreaterThan(3);
      for (const [hash, flows] of actual) {
        const moved = Object.fromEntries(Object.entries(flows).filter(([, flow]) => flow !== 0n));
        expect(moved, `${wallet} in ${hash}`).toEqual(await flowsOf(pools.chain, hash, wallet));
      }
    }
  });

  it("have the value of the tokens that the wallet paid, or received if it paid none", async () => {
    const { market, priceOf } = pools;
    const items = (await Promise.all(market.people.map((wallet) => transactionsOf(wallet)))).flat();
    for (const { amounts, total_quote } of items) {
      const paid = amounts.filter(({ direction }) => direction === "OUT");
      expectNear(total_quote, sumOf(paid.length > 0 ? paid : amounts), "total");
    }
    const amounts = items.flatMap((item) => item.amounts).filter(({ contract_address }) => !market.pools.includes(contract_address));
    for (const { contract_address, amount, quote } of amounts) {
      const price = priceOf(contract_address);
      expectNear(quote, price === null ? null : (Number(amount) / 10 ** decimals) * price, contract_address);
    }
    expect(amounts.filter(({ quote }) => quote !== null).length).toBeGreaterThan(20);
  });

  it("value pool tokens at the value of the amounts that they were exchanged for", async () => {
    const { market } = pools;
    const items = (await Promise.all(market.people.map((wallet) => transactionsOf(wallet)))).flat();
    let compared = 0;
    for (const { action, amounts, pool_address } of items) {
      const shares = amounts.filter(({ contract_address }) => contract_address === pool_address);
      const tokens = amounts.filter(({ contract_address }) => contract_address !== pool_address);
      expect(shares.length, String(action)).toBeLessThanOrEqual(action === "swap" ? 0 : 1);
      if (shares.length === 0 || tokens.length < 2) continue;
      expectNear(sumOf(shares), sumOf(tokens), String(action));
      compared += 1;
    }
    expect(compared).toBeGreaterThan(3);
  });

  it("are paginated up to the as-of block", async () => {
    const [wallet] = pools.market.people as [Address];
    const height = pools.head - 2;
    const all = await transactionsOf(wallet, { height });
    expect(all).toEqual((await transactionsOf(wallet)).filter(({ block_height }) => (block_height as number) <= height));
    const pages = [];
    for (let offset = 0; offset < all.length; offset += 3) pages.push(...(await transactionsOf(wallet, { height, limit: 3, offset })));
    expect(pages).toEqual(all);
  });

  it("include tokens that a router receives for the wallet, such as wrapped tokens that it unwraps", async () => {
    const { chain, market, index } = pools;
    const [, wallet] = market.people as [Address, Address];
    const { plain, tokens, weth } = market;
    const ether = 10n ** 18n;
    const deadline = 2n ** 40n;
    const viaRouter = (name: string, args: readonly unknown[], value = 0n) => ({
      from: wallet,
      gas: 5_000_000n,
      value,
      ...encodeCall(uniswapV2.router(), plain.router, name, args),
    });
    await mineTransactions(chain, [
      viaRouter("addLiquidityETH", [tokens.gold, 300n * ether, 0n, 0n, wallet, deadline], 2n * ether),
      viaRouter("swapExactETHForTokens", [0n, [weth, tokens.gold], wallet, deadline], ether),
    ]);
    const pool = await plain.pairOf(tokens.gold, weth);
    await mineTransactions(chain, [approve(wallet, pool, plain.router)]);
    await mineTransactions(chain, [viaRouter("removeLiquidityETH", [tokens.gold, ether, 0n, 0n, wallet, deadline])]);
    await index.sync();
    const height = await chain.head();
    const [mint, swap, burn] = (await pairLogs(chain, [pool], height)).filter(({ name }) => ["Mint", "Swap", "Burn"].includes(name));
    const items = (await transactionsOf(wallet, { height })).filter(({ pool_address }) => pool_address === pool);
    const actual = items.map(({ action, amounts }) => [action, amountsOf(amounts)]);
    const [token0, token1] = tokens.gold < weth ? [tokens.gold, weth] : [weth, tokens.gold];
    // √(300 × 2) whole pool tokens, less the locked minimum, rounded down.
    const minted = sqrtOf(600n * ether * ether) - 1000n;
    expect(actual).toEqual([
      ["remove_liquidity", { [`OUT ${pool}`]: ether, [`IN ${token0}`]: burn?.args.amount0, [`IN ${token1}`]: burn?.args.amount1 }],
      ["swap", { [`OUT ${weth}`]: ether, [`IN ${tokens.gold}`]: weth === token0 ? swap?.args.amount1Out : swap?.args.amount0Out }],
      ["add_liquidity", { [`OUT ${token0}`]: mint?.args.amount0, [`OUT ${token1}`]: mint?.args.amount1, [`IN ${pool}`]: minted }],
    ]);
  });
});

const amountsOf = (amounts: readonly Amount[]): Record<string, bigint> =>
  Object.fromEntries(amounts.map(({ direction, contract_address, amount }) => [`${direction} ${contract_address}`, BigInt(amount)]));

/** The integer square root, by Newton's method. */
const sqrtOf = (square: bigint): bigint => {
  let root = square;
  for (let next = (root + 1n) / 2n; next < root; next = (root + square / root) / 2n) root = next;
  return root;
};
