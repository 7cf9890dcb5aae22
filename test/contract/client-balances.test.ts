import { describe, expect, test } from "vitest";
import { balanceOf, callNode, changesOf, storyValue, sumOf, timeOf, transfersOf } from "../support/story-node.ts";
import { all, chain, chainById, dataOf, isValidDate, useNpmClient } from "./npm-client.ts";

const client = await useNpmClient();

describe("the npm client's BalanceService", () => {
  test("getTokenBalancesForWalletAddress returns balances as bigints", async () => {
    const {
      items,
      address,
      updated_at: at,
    } = await dataOf(
      client.BalanceService.getTokenBalancesForWalletAddress(chain, storyValue("trader"), { quoteCurrency: "EUR", nft: true }),
    );
    expect(address).toBe(storyValue("trader"));
    expect(isValidDate(at)).toBe(true);
    const gold = items.find(({ contract_address: contract }) => contract === storyValue("goldToken"));
    const held = await callNode<string>(
      "eth_call",
      { to: storyValue("goldToken"), data: `0x70a08231${storyValue("trader").slice(2).padStart(64, "0")}` },
      "latest",
    );
    expect(gold?.balance).toBe(BigInt(held));
  });

  test("getHistoricalTokenBalancesForWalletAddress returns the balances after a block and at the end of a day", async () => {
    const [trader, gold] = [storyValue("trader"), storyValue("goldToken")];
    const [held, changes] = [await balanceOf(gold, trader), await changesOf(gold, trader)];
    const goldAt = async (time: { readonly blockHeight?: number; readonly date?: string }): Promise<[bigint | null, number]> => {
      const { items } = await dataOf(client.BalanceService.getHistoricalTokenBalancesForWalletAddress(chain, trader, time));
      const item = items.find(({ contract_address: contract }) => contract === gold);
      return [item?.balance ?? null, item?.block_height ?? -1];
    };
    const heldAfter = (block: number): bigint => held - sumOf(changes.filter((change) => change.block > block));
    const height = Number(storyValue("swapBlockHeight"));
    expect(await goldAt({ blockHeight: height })).toEqual([heldAfter(height), height]);
    expect(await goldAt({ blockHeight: height - 1 })).toEqual([heldAfter(height - 1), height - 1]);
    const dayEnd = (Date.parse(storyValue("swapDay")) + 86_400_000) / 1000;
    const [balance, last] = await goldAt({ date: storyValue("swapDay") });
    expect((await timeOf(last)) < dayEnd && (await timeOf(last + 1)) >= dayEnd).toBe(true);
    expect(balance).toBe(heldAfter(last));
    expect(new Set([heldAfter(height), heldAfter(height - 1), heldAfter(last), held]).size).toBeGreaterThan(1);
  });

  test("getHistoricalPortfolioForWalletAddress returns a portfolio with daily open, high, low and close values", async () => {
    const [trader, gold] = [storyValue("trader"), storyValue("goldToken")];
    const [held, changes] = [await balanceOf(gold, trader), await changesOf(gold, trader)];
    const { items } = await dataOf(client.BalanceService.getHistoricalPortfolioForWalletAddress(chain, trader, { days: 30 }));
    const holdings = items.find(({ contract_address: contract }) => contract === gold)?.holdings ?? [];
    expect(holdings.length).toBe(30);
    const blocks = [...new Set(changes.map((change) => change.block))];
    const times = new Map(await Promise.all(blocks.map(async (block) => [block, await timeOf(block)] as const)));
    const heldBefore = (time: number): bigint => held - sumOf(changes.filter(({ block }) => (times.get(block) ?? 0) >= time));
    for (const { timestamp, open, high, low, close } of holdings) {
      const start = timestamp.getTime() / 1000;
      const within = [...times].filter(([, time]) => time >= start && time < start + 86_400).map(([block]) => block);
      const balances = [heldBefore(start), ...within.map((last) => held - sumOf(changes.filter(({ block }) => block > last)))];
      balances.sort((a, b) => (a < b ? -1 : 1));
      const [lowest, highest] = [balances[0], balances.at(-1)];
      expect([open, high, low, close].map(({ balance }) => balance)).toEqual([
        heldBefore(start),
        highest,
        lowest,
        heldBefore(start + 86_400),
      ]);
    }
    expect(new Set(holdings.map(({ close }) => close.balance)).size).toBeGreaterThan(3);
  });

  test("getNativeTokenBalance returns the native balance", async () => {
    const { items } = await dataOf(client.BalanceService.getNativeTokenBalance(chainById, storyValue("newcomer")));
    expect(items.map(({ balance }) => balance)).toEqual([
      BigInt(await callNode<string>("eth_getBalance", storyValue("newcomer"), "latest")),
    ]);
  });

  test("getErc20TransfersForWalletAddress iterates over all transfers and returns each transaction once", async () => {
    const options = { contractAddress: storyValue("goldToken"), pageSize: 50 };
    const { items: firstPage, pagination } = await dataOf(
      client.BalanceService.getErc20TransfersForWalletAddressByPage(chain, storyValue("trader"), options),
    );
    expect(firstPage.length).toBeGreaterThan(0);
    const items = await all(client.BalanceService.getErc20TransfersForWalletAddress(chain, storyValue("trader"), options));
    expect(new Set(items.map(({ tx_hash: hash }) => hash)).size).toBe(items.length);
    expect(items.length).toBe(pagination.total_count);
    expect(items.length).toBeGreaterThan(2 * options.pageSize);
    for (const { transfers, block_signed_at: at } of items) {
      expect(isValidDate(at)).toBe(true);
      for (const { delta, contract_address: contract } of transfers) {
        expect(typeof delta === "bigint" && delta >= 0n).toBe(true);
        expect(contract).toBe(storyValue("goldToken"));
      }
    }
  });
});

describe("the npm client's BalanceService for token holders", () => {
  test("getTokenHolders iterates over all holders with the balances that balanceOf() returns, largest first", async () => {
    const token = storyValue("usdToken");
    const options = { pageSize: 100 };
    const { items: firstPage, pagination } = await dataOf(
      client.BalanceService.getTokenHoldersV2ForTokenAddressByPage(chain, token, options),
    );
    const items = await all(client.BalanceService.getTokenHoldersV2ForTokenAddress(chain, token, options));
    const owners = new Set((await transfersOf(token)).flatMap(({ from, to }) => [from, to]));
    owners.delete(`0x${"0".repeat(40)}`);
    const returned = await Promise.all([...owners].map(async (address) => ({ address, balance: await balanceOf(token, address) })));
    const holders = returned.filter(({ balance }) => balance > 0n);
    const order = (a: (typeof returned)[number], b: (typeof returned)[number]) =>
      a.balance === b.balance ? (a.address < b.address ? -1 : 1) : a.balance > b.balance ? -1 : 1;
    expect(items.map(({ address, balance }) => ({ address, balance }))).toEqual(holders.sort(order));
    expect(items.slice(0, firstPage.length).map(({ address }) => address)).toEqual(firstPage.map(({ address }) => address));
    expect(pagination.total_count).toBe(holders.length);
    expect(holders.length).toBeGreaterThan(options.pageSize);
    // totalSupply(), EIP-20.
    expect(items[0]?.total_supply).toBe(BigInt(await callNode<string>("eth_call", { to: token, data: "0x18160ddd" }, "latest")));
  });

  test("getTokenHolders returns the holders after a block", async () => {
    const [token, height] = [storyValue("goldToken"), Number(storyValue("swapBlockHeight"))];
    const options = { blockHeight: height, pageSize: 1000 };
    const { items } = await dataOf(client.BalanceService.getTokenHoldersV2ForTokenAddressByPage(chain, token, options));
    const balances = new Map<string, bigint>();
    for (const { from, to, value } of await transfersOf(token, `0x${height.toString(16)}`)) {
      balances.set(from, (balances.get(from) ?? 0n) - value);
      balances.set(to, (balances.get(to) ?? 0n) + value);
    }
    // The zero address, the sender of mints, has a negative sum.
    const held = [...balances].filter(([, balance]) => balance > 0n);
    expect(new Map(items.map(({ address, balance }) => [address, balance]))).toEqual(new Map(held));
    expect(items.every(({ block_height: at }) => at === height)).toBe(true);
  });
});
