import { decodeEventLog } from "viem";
import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../../support/chain.ts";
import type { CTokenMarket } from "./market.ts";

/** An amount that an account gave or received: direction, token contract, amount. */
type Leg = readonly ["IN" | "OUT", Address, string];

/** An account's action with a market, with the response fields. */
interface MarketAction {
  readonly action: string;
  readonly block_height: number;
  readonly log_offset: number;
  readonly tx_hash: Hex;
  readonly pool_address: Address;
  readonly amounts: readonly Leg[];
}

interface NodeLog {
  readonly address: Address;
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly logIndex: Hex;
  readonly transactionHash: Hex;
}

export interface MarketEvent {
  readonly name: string;
  readonly args: Readonly<Record<string, string>>;
  readonly log: NodeLog;
}

const native: Address = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";

/** The markets' events in chain order; values as text, addresses in lower case. */
export const eventsOf = async (chain: TestChain, market: CTokenMarket): Promise<MarketEvent[]> => {
  const address = market.all.map((one) => one.address);
  const logs = await chain.rpc<NodeLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest", address }]);
  return logs.map((log) => {
    const { eventName, args } = decodeEventLog({ abi: market.contracts.token.abi, topics: log.topics, data: log.data });
    const values = Object.entries(args as unknown as Record<string, unknown>).map(([name, value]) => [name, String(value).toLowerCase()]);
    return { name: String(eventName), args: Object.fromEntries(values), log };
  });
};

/** An account's actions from the node's logs, newest first. */
export const marketActionsOf = async (chain: TestChain, market: CTokenMarket, wallet: Address): Promise<MarketAction[]> => {
  const events = await eventsOf(chain, market);
  const assetOf = (address: Address): Address => market.all.find((one) => one.address === address)?.asset ?? native;
  const found = events.flatMap((event): MarketAction[] => {
    const { log } = event;
    const legs = legsOf(
      event,
      events.filter((other) => other.log.transactionHash === log.transactionHash),
      assetOf(log.address),
      wallet,
    );
    if (legs === null) return [];
    return [
      {
        action: legs.action,
        block_height: Number(log.blockNumber),
        log_offset: Number(log.logIndex),
        tx_hash: log.transactionHash,
        pool_address: log.address,
        amounts: legs.amounts,
      },
    ];
  });
  return found.sort((left, right) => right.block_height - left.block_height || right.log_offset - left.log_offset);
};

interface Legs {
  readonly action: string;
  readonly amounts: readonly Leg[];
}

/** The amounts that an event moved for an account; null if the event is not one of the account's actions. */
const legsOf = ({ name, args, log }: MarketEvent, transaction: readonly MarketEvent[], asset: Address, wallet: Address): Legs | null => {
  const amount = (key: string): string => args[key] ?? "";
  const is = (key: string): boolean => args[key] === wallet;
  const actionIf = (action: string, isInvolved: boolean, legs: readonly (Leg | false)[]): Legs | null =>
    isInvolved ? { action, amounts: legs.filter((leg) => leg !== false) } : null;
  const liquidation = transaction.find((event) => event.name === "LiquidateBorrow")?.args;
  switch (name) {
    case "Mint":
      return actionIf("mint", is("minter"), [
        ["OUT", asset, amount("mintAmount")],
        ["IN", log.address, amount("mintTokens")],
      ]);
    case "MintBehalf":
      return actionIf("mint", is("payer") || is("receiver"), [
        is("payer") && ["OUT", asset, amount("mintAmount")],
        is("receiver") && ["IN", log.address, amount("mintTokens")],
      ]);
    case "Redeem":
      return actionIf("redeem", is("redeemer"), [
        ["OUT", log.address, amount("redeemTokens")],
        ["IN", asset, amount("redeemAmount")],
      ]);
    case "Borrow":
      return actionIf("borrow", is("borrower"), [["IN", asset, amount("borrowAmount")]]);
    case "RepayBorrow":
      return actionIf("repay", liquidation === undefined && (is("payer") || is("borrower")), [
        is("payer") && ["OUT", asset, amount("repayAmount")],
      ]);
    case "LiquidateBorrow": {
      const received = transaction.find((event) => event.name === "Transfer" && event.args.to === args.liquidator)?.args.amount ?? "";
      const collateral = args.cTokenCollateral as Address;
      return actionIf("liquidate", is("liquidator") || is("borrower"), [
        is("liquidator") && ["OUT", asset, amount("repayAmount")],
        is("liquidator") && ["IN", collateral, received],
        is("borrower") && ["OUT", collateral, amount("seizeTokens")],
      ]);
    }
    case "Transfer": {
      const isOwnAction = args.from !== log.address && args.to !== log.address && liquidation === undefined;
      return actionIf("transfer", isOwnAction && (is("from") || is("to")), [
        is("from") && ["OUT", log.address, amount("amount")],
        is("to") && ["IN", log.address, amount("amount")],
      ]);
    }
    default:
      return null;
  }
};
