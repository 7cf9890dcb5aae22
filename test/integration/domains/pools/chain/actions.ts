import { describe, expect, it } from "vitest";
import type { Address } from "../../../../../runtime/lib/hex.ts";
import type { ResponseData } from "../serve-pools.ts";
import type { PairLog } from "../support.ts";
import { allPages, api, chain, exchange, logs, pairs, people, tokens, tokensOf, toLower } from "./setup.ts";

/** Tests of pool action lists. */
export const describeActions = (): void => {
  describe("pool actions", () => {
    const actionsOf = (selected: readonly Address[]) =>
      logs.filter(({ name, address }) => ["Swap", "Mint", "Burn"].includes(name) && selected.includes(address)).reverse();
    const actionNames: Record<string, string> = { Swap: "SWAP", Mint: "ADD_LIQUIDITY", Burn: "REMOVE_LIQUIDITY" };
    const fieldsOf = (items: readonly ResponseData[]) =>
      items.map((item) => [
        item.tx_hash,
        item.act,
        item.amount_0,
        item.amount_1,
        item.amount_0_in,
        item.amount_0_out,
        item.amount_1_in,
        item.amount_1_out,
        item.sender_address,
      ]);
    const expectedActions = (expectedLogs: readonly PairLog[]) =>
      expectedLogs.map(({ transaction, name, args }) => {
        const text = (argument: string) => (args[argument] === undefined ? null : String(args[argument]));
        const [in0, out0, in1, out1] = ["amount0In", "amount0Out", "amount1In", "amount1Out"].map(text);
        return [transaction, actionNames[name], text("amount0"), text("amount1"), in0, out0, in1, out1, toLower(String(args.sender))];
      });

    it("are listed newest first, page by page, for an exchange, a pool or a token", async () => {
      expect(fieldsOf(await allPages("week/xy=k/swap/transactions/", 7))).toEqual(expectedActions(actionsOf(pairs)));
      expect(fieldsOf(await allPages("week/xy=k/swap/transactions/", 1000))).toEqual(expectedActions(actionsOf(pairs)));
      for (const pair of pairs)
        expect(fieldsOf(await allPages(`week/xy=k/swap/pools/address/${pair}/transactions/`, 5))).toEqual(
          expectedActions(actionsOf([pair])),
        );
      for (const token of tokens) {
        const tokenPairs: Address[] = [];
        for (const pair of pairs) if ((await tokensOf(pair)).includes(token)) tokenPairs.push(pair);
        expect(fieldsOf(await allPages(`week/xy=k/swap/tokens/address/${token}/transactions/`, 6))).toEqual(
          expectedActions(actionsOf(tokenPairs)),
        );
      }
    });

    it("are listed for their sender and for their receiver", async () => {
      const senders = new Map<string, Address>();
      for (const { transaction } of actionsOf(pairs)) {
        senders.set(transaction, toLower((await chain.rpc<{ from: string }>("eth_getTransactionByHash", [transaction])).from));
      }
      for (const account of [...people, exchange.router]) {
        const items = await allPages(`week/xy=k/swap/address/${account}/transactions/`, 9);
        // Mint events do not contain the receiver.
        const expectedLogs = actionsOf(pairs).filter(({ transaction, name, args, address, block, index }) => {
          const minted =
            name === "Mint"
              ? logs
                  .filter(
                    (log) =>
                      log.name === "Transfer" &&
                      log.address === address &&
                      log.block === block &&
                      log.index < index &&
                      BigInt(String(log.args.from)) === 0n,
                  )
                  .at(-1)?.args.to
              : args.to;
          return [senders.get(transaction), toLower(String(args.sender)), toLower(String(minted))].includes(account);
        });
        expect(fieldsOf(items)).toEqual(expectedActions(expectedLogs));
        expect(items.every((item) => item.address === account)).toBe(true);
      }
      expect((await api.get(`week/xy=k/swap/address/0x${"9".repeat(40)}/transactions/`)).items).toEqual([]);
    });

    it("report the share recipient as the receiver of added liquidity", async () => {
      const items = await allPages(`week/xy=k/swap/pools/address/${pairs[0]}/transactions/`, 1000);
      const additions = actionsOf([pairs[0]]).filter(({ name }) => name === "Mint");
      const receivers = additions.map(({ block, index }) =>
        toLower(
          String(
            logs
              .filter(
                (log) =>
                  log.name === "Transfer" &&
                  log.address === pairs[0] &&
                  log.block === block &&
                  log.index < index &&
                  BigInt(String(log.args.from)) === 0n,
              )
              .at(-1)?.args.to,
          ),
        ),
      );
      expect(items.filter(({ act }) => act === "ADD_LIQUIDITY").map((item) => item.to_address)).toEqual(receivers);
    });
  });
};
