import { decodeEventLog } from "viem";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import { pick, type ServedEvent, servedEvents, toWholeTokens } from "../lending-details.ts";
import { builtInProtocol } from "../operations.ts";
import { type ServedCommunity, serveCommunity } from "../serve.ts";
import { contracts } from "./contracts.ts";
import { configurationOf, type IndexedLending, startIndexedLending } from "./story.ts";

const protocol = builtInProtocol("protocol_01");

interface NodeLog {
  readonly address: Address;
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
  readonly logIndex: Hex;
  readonly transactionHash: Hex;
}

let lending: IndexedLending;
let served: ServedCommunity;
let logs: readonly { readonly log: NodeLog; readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
let actual: readonly ServedEvent[];

beforeAll(async () => {
  lending = await startIndexedLending(protocol, "operations of lending pools");
  served = await serveCommunity(lending.testDatabase.database, { protocols: [protocol], community: configurationOf(lending.market) });
  const address = lending.market.pools.map((pool) => pool.address);
  const emitted = await lending.chain.rpc<NodeLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest", address }]);
  logs = emitted.flatMap((log) => {
    const { eventName, args } = decodeEventLog({ abi: contracts("LendingPool").abi, topics: log.topics, data: log.data });
    const values = Object.entries(args as object).map(([name, value]) => [name, typeof value === "string" ? value.toLowerCase() : value]);
    return eventName === "ReserveDataUpdated" ? [] : [{ log, name: String(eventName), args: Object.fromEntries(values) }];
  });
  actual = await servedEvents(
    served,
    logs.map(({ log }) => log.transactionHash),
  );
});
afterAll(async () => {
  await served?.close();
  await lending?.end();
});

describe("lending details of pools", () => {
  it("contain every pool event once, with its accounts and amounts", () => {
    const { reserves, pools } = lending.market;
    const expected = logs.map(({ log, name, args }) => {
      const isV2 = pools.find((pool) => pool.address === log.address)?.isV2 === true;
      const reserveOf = (asset: unknown) => reserves.find(({ pool, coin }) => pool === log.address && coin.address === asset);
      const amountOf = (asset: unknown, amount: unknown) => toWholeTokens(amount as bigint, reserveOf(asset)?.coin.decimals ?? 0);
      const { reserve, amount, user } = args;
      const moved = amountOf(reserve ?? args.debtAsset, amount ?? args.debtToCover);
      const seized = amountOf(args.collateralAsset, args.liquidatedCollateralAmount ?? 0n);
      const paid = { token_address_in: reserve, token_amount_in: moved };
      const received = { token_address_out: reserve, token_amount_out: moved };
      const receipt = { lp_token_address: reserveOf(reserve)?.aToken, lp_token_amount: moved };
      const none = { token_address_in: null, token_amount_in: null, token_address_out: null, token_amount_out: null };
      const base = {
        log_offset: Number(log.logIndex),
        protocol_address: log.address,
        version: isV2 ? "2" : "3",
        event: name,
        ...{ ...none, lp_token_address: null, lp_token_amount: null, borrow_rate_mode: null, borrow_rate: null, liquidator: null },
      };
      switch (name) {
        case "Supply":
        case "Deposit":
          return { ...base, ...paid, ...receipt, on_behalf_of: args.onBehalfOf, user };
        case "Withdraw":
          return { ...base, ...received, ...receipt, on_behalf_of: user, user };
        case "Borrow": {
          const mode = Number(args.interestRateMode ?? args.borrowRateMode);
          // Rates are in rays, with 27 decimals: 10^25 is one percent.
          const rate = Number(`${args.borrowRate}e-25`);
          return { ...base, ...received, borrow_rate_mode: mode, borrow_rate: rate, on_behalf_of: args.onBehalfOf, user };
        }
        case "Repay":
          return { ...base, ...(args.useATokens === true ? receipt : paid), on_behalf_of: user, user: args.repayer };
        default:
          return {
            ...base,
            token_address_in: args.debtAsset,
            token_amount_in: moved,
            ...(args.receiveAToken === true ? {} : { token_address_out: args.collateralAsset, token_amount_out: seized }),
            lp_token_address: reserveOf(args.collateralAsset)?.aToken,
            lp_token_amount: seized,
            on_behalf_of: user,
            user: args.liquidator,
            liquidator: args.liquidator,
          };
      }
    });
    expect(actual.map((event, position) => pick(event, Object.keys(expected[position] ?? event)))).toEqual(expected);
    const names = new Set(expected.map(({ event }) => event));
    expect(names).toEqual(new Set(["Supply", "Deposit", "Withdraw", "Borrow", "Repay", "LiquidationCall"]));
    expect(expected.some(({ event, token_address_in }) => event === "Repay" && token_address_in === null)).toBe(true);
    expect(expected.some(({ event, token_address_out }) => event === "LiquidationCall" && token_address_out === null)).toBe(true);
  });

  it("have the tokens' names, prices and values", () => {
    const [dollar] = lending.market.reserves.filter(({ coin }) => coin.decimals === 6);
    const found = actual.filter(({ event, token_address_in }) => event === "Supply" && token_address_in === dollar?.coin.address);
    expect(found.length).toBeGreaterThan(0);
    // The coin with 6 decimals costs one dollar.
    for (const event of found)
      expect(event).toMatchObject({
        protocol_name: "Aave",
        fork: null,
        token_name_in: "Coin 6",
        token_decimal_in: 6,
        amount_in_usd: event.token_amount_in,
        lp_token_name: "Receipt 6",
        lp_decimals: 6,
        exchange_rate: 1,
        exchange_rate_usd: 1,
        token_name_out: null,
        amount_out_usd: null,
      });
  });

  it("are null if they are not requested, and empty in a transaction without lending events", async () => {
    const hash = logs[0]?.log.transactionHash;
    expect((await served.itemsOf(`transaction_v2/${hash}/`))[0]?.lending_details).toBeNull();
    const { transactions } = await lending.chain.rpc<{ transactions: string[] }>("eth_getBlockByNumber", ["0x1", false]);
    expect(await servedEvents(served, transactions)).toEqual([]);
  });
});
