import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nativeTokenAddress } from "../../../../../runtime/lib/hex.ts";
import { pick, type ServedEvent, servedEvents, toWholeTokens } from "../lending-details.ts";
import { builtInProtocol } from "../operations.ts";
import { type ServedCommunity, serveCommunity } from "../serve.ts";
import { eventsOf, type MarketEvent } from "./actions.ts";
import { type CTokenStory, family, startCTokenStory } from "./story.ts";

const lendingEvents = ["Mint", "MintBehalf", "Redeem", "Borrow", "RepayBorrow", "LiquidateBorrow"];
const cTokenDecimals = 8;

describe.each(family)("lending details of $id", (protocol) => {
  const { id } = protocol;
  let story: CTokenStory;
  let served: ServedCommunity;
  let events: readonly MarketEvent[];
  let actual: readonly ServedEvent[];

  beforeAll(async () => {
    story = await startCTokenStory(protocol);
    const community = { [id]: { comptroller: [story.market.registry] } };
    served = await serveCommunity(story.testDatabase.database, { protocols: [builtInProtocol(id)], community });
    events = (await eventsOf(story.chain, story.market)).filter(({ name }) => lendingEvents.includes(name));
    actual = await servedEvents(
      served,
      events.map(({ log }) => log.transactionHash),
    );
  });
  afterAll(async () => {
    await served?.close();
    await story?.end();
  });

  it("contain every market event once, with its accounts and amounts", () => {
    const expected = events.map(({ name, args, log }) => {
      const market = story.market.all.find(({ address }) => address === log.address);
      const asset = market?.asset ?? nativeTokenAddress;
      const amountOf = (argument: string, decimals = market?.decimals ?? 0) => toWholeTokens(BigInt(args[argument] ?? 0), decimals);
      const paid = (argument: string) => ({ token_address_in: asset, token_amount_in: amountOf(argument) });
      const received = (argument: string) => ({ token_address_out: asset, token_amount_out: amountOf(argument) });
      const tokens = (address: unknown, argument: string) => ({
        lp_token_address: address,
        lp_token_amount: amountOf(argument, cTokenDecimals),
      });
      const base = {
        log_offset: Number(log.logIndex),
        protocol_address: log.address,
        event: name,
        ...{ token_address_in: null, token_amount_in: null, token_address_out: null, token_amount_out: null },
        ...{ lp_token_address: null, lp_token_amount: null, liquidator: null },
      };
      switch (name) {
        case "Mint":
          return { ...base, ...paid("mintAmount"), ...tokens(log.address, "mintTokens"), on_behalf_of: args.minter, user: args.minter };
        case "MintBehalf":
          return { ...base, ...paid("mintAmount"), ...tokens(log.address, "mintTokens"), on_behalf_of: args.receiver, user: args.payer };
        case "Redeem":
          return {
            ...base,
            ...received("redeemAmount"),
            ...tokens(log.address, "redeemTokens"),
            on_behalf_of: args.redeemer,
            user: args.redeemer,
          };
        case "Borrow":
          return { ...base, ...received("borrowAmount"), on_behalf_of: args.borrower, user: args.borrower };
        case "RepayBorrow":
          return { ...base, ...paid("repayAmount"), on_behalf_of: args.borrower, user: args.payer };
        default:
          return {
            ...base,
            ...paid("repayAmount"),
            ...tokens(args.cTokenCollateral, "seizeTokens"),
            on_behalf_of: args.borrower,
            ...{ user: args.liquidator, liquidator: args.liquidator },
          };
      }
    });
    expect(actual.map((event, position) => pick(event, Object.keys(expected[position] ?? event)))).toEqual(expected);
    for (const name of ["Mint", "Redeem", "Borrow", "RepayBorrow", "LiquidateBorrow"])
      expect(expected.some(({ event }) => event === name)).toBe(true);
  });

  it("have the exchange rate at which tokens were minted, and values in US dollars", () => {
    const [gold] = story.market.tokens;
    const mints = actual.filter(({ event, protocol_address }) => event === "Mint" && protocol_address === gold.address);
    expect(mints.length).toBeGreaterThan(0);
    for (const { exchange_rate, exchange_rate_usd, token_amount_in, lp_token_amount, amount_in_usd } of mints) {
      const rate = Number(token_amount_in) / Number(lp_token_amount);
      expect(Math.abs(Number(exchange_rate) / rate - 1)).toBeLessThan(1e-12);
      // Each asset costs three dollars.
      expect(Math.abs(Number(exchange_rate_usd) / (3 * rate) - 1)).toBeLessThan(1e-12);
      expect(Math.abs(Number(amount_in_usd) / (3 * Number(token_amount_in)) - 1)).toBeLessThan(1e-12);
    }
  });

  it("name the protocol and, for a fork, the protocol that it was forked from", () => {
    const [protocolName, version, fork, forkVersion] =
      id === "protocol_04" ? ["Compound", "2", null, null] : ["Venus", null, "Compound", "2"];
    expect(actual[0]).toMatchObject({ protocol_name: protocolName, version, fork, fork_version: forkVersion });
  });
});
