import { describe, expect, it } from "vitest";
import type { Address } from "../../../../../../runtime/lib/hex.ts";
import { expectPages } from "../../operations.ts";
import { actionsIn, actionsOfWallet, type ExpectedAction, eventsOf, isBurn, isMint, transferEvent } from "../logs.ts";
import { chain, depositEvent, head, heights, inDollars, itemsOf, pools, shared, usedAt, withdrawEvent } from "./setup.ts";

/** A wallet's positions by pool: shares × pricePerShare() / 10^18, with the price from the pool's newest reading. */
const positionsOf = async (wallet: Address, height: number): Promise<Record<string, string>> => {
  const positions: Record<string, string> = {};
  for (const pool of pools) {
    const shares = await shared.view("SharePool", pool, "balanceOf", [wallet], height);
    if (shares === 0n) continue;
    const unit = await shared.view("SharePool", pool, "pricePerShare", [], (await usedAt(pool, height)) ?? 0);
    positions[pool] = String((shares * unit) / 10n ** 18n);
  }
  return positions;
};
/** All accounts' actions with the pools, from the node's logs. */
const allActions = async (): Promise<ExpectedAction[]> => {
  const { token } = shared;
  const deposits = await eventsOf(chain, pools, depositEvent);
  const withdrawals = await eventsOf(chain, pools, withdrawEvent);
  const transfers = (await eventsOf(chain, pools, transferEvent)).filter((event) => !isMint(event) && !isBurn(event));
  return [
    ...deposits.map((event): ExpectedAction => {
      const { owner = "", shares = "", amount = "" } = event.values;
      return {
        ...{ action: "deposit", event },
        legs: [
          [owner as Address, ["OUT", token, amount]],
          [owner as Address, ["IN", event.address, shares]],
        ],
      };
    }),
    ...withdrawals.map((event): ExpectedAction => {
      const { owner = "", shares = "", amount = "" } = event.values;
      return {
        ...{ action: "withdraw", event },
        legs: [
          [owner as Address, ["OUT", event.address, shares]],
          [owner as Address, ["IN", token, amount]],
        ],
      };
    }),
    ...transfers.map((event): ExpectedAction => {
      const { from = "", to = "", value = "" } = event.values;
      return {
        ...{ action: "transfer", event },
        legs: [
          [from as Address, ["OUT", event.address, value]],
          [to as Address, ["IN", event.address, value]],
        ],
      };
    }),
  ];
};

/** Tests of wallets' balances and transactions. */
export const describeWallets = (): void => {
  describe("balances of protocol 09", () => {
    it("are shares × pricePerShare() / 10^18, at six heights", async () => {
      for (const wallet of [...shared.people, shared.collector]) {
        for (const height of heights()) {
          const found = (await itemsOf("balances", { height, wallet })).filter(({ contract_address }) => contract_address === shared.token);
          const balances = Object.fromEntries(found.map(({ pool_address, balance }) => [pool_address, balance]));
          expect(balances, `${wallet} at ${height}`).toEqual(await positionsOf(wallet, height));
          for (const { balance, quote } of found) expect(quote).toBeCloseTo(inDollars(BigInt(balance as string)), 9);
        }
      }
      expect((await itemsOf("balances", { height: head, wallet: shared.people[0] })).length).toBeGreaterThan(1);
    });

    it("are empty for an unknown wallet", async () => {
      expect(await itemsOf("balances", { height: head, wallet: shared.token })).toEqual([]);
    });
  });

  describe("transactions of protocol 09", () => {
    it("are the wallet's deposits, withdrawals and transfers in the node's logs, including those through a router", async () => {
      const actions = await allActions();
      const seen = new Set<unknown>();
      for (const wallet of [...shared.people, shared.router]) {
        const found = (await itemsOf("transactions", { height: head, wallet })).filter(({ pool_address }) =>
          pools.includes(pool_address as Address),
        );
        expect(actionsIn(found), wallet).toEqual(await actionsOfWallet(chain, actions, wallet));
        for (const { action } of found) seen.add(action);
      }
      expect(seen).toEqual(new Set(["deposit", "withdraw", "transfer"]));
    });

    it("have the value of the amount that moved, or of the shares at the newest price", async () => {
      const [wallet] = shared.people;
      for (const item of await itemsOf("transactions", { height: head, wallet })) {
        const legs = item.amounts as { contract_address: Address; amount: string; quote: number | null }[];
        const moved = legs.find(({ contract_address }) => contract_address === shared.token);
        const pool = item.pool_address as Address;
        if (!pools.includes(pool)) continue;
        const shares = legs.find(({ contract_address }) => contract_address === pool);
        const block = (await usedAt(pool, item.block_height as number)) ?? 0;
        const unit = await shared.view("SharePool", pool, "pricePerShare", [], block);
        const amount = moved === undefined ? (BigInt(shares?.amount ?? 0) * unit) / 10n ** 18n : BigInt(moved.amount);
        expect(item.total_quote).toBeCloseTo(inDollars(amount), 9);
      }
    });

    it("are paginated up to the as-of block", async () => {
      const [wallet] = shared.people;
      await expectPages(itemsOf, wallet, head, head - 3);
    });
  });
};
