import { decodeEventLog } from "viem";
import type { Address, Hex } from "../../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../../support/chain.ts";
import type { CTokenMarkets } from "./market.ts";

/** An amount that an account gave or received: direction, token contract, amount. */
type Leg = readonly ["IN" | "OUT", Address, string];

/** An account's action on a market, with the fields of the response. */
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
export const eventsOf = async (chain: TestChain, market: CTokenMarkets): Promise<MarketEvent[]> => {
  const addresses = market.all.map(({ address }) => address);
  const logs = await chain.rpc<NodeLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest", address: addresses }]);
  return logs.map((log) => {
    const { eventName, args } = decodeEventLog({ abi: market.contracts.token.abi, topics: log.topics, data: log.data });
    const values = Object.entries(args as unknown as Record<string, unknown>).map(([name, value]) => [name, String(value).toLowerCase()]);
    return { name: String(eventName), args: Object.fromEntries(values), log };
  });
};

/** An account's actions from the node's logs, newest first. */
export const marketActionsOf = async (chain: TestChain, market: CTokenMarkets, wallet: Address): Promise<MarketAction[]> => {
  const events = await eventsOf(chain, market);
  const assetOf = (address: Address): Address => market.all.find((cToken) => cToken.address === address)?.asset ?? native;
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
  const isWallet = (key: string): boolean => args[key] === wallet;
  const actionIf = (action: string, isInvolved: boolean, legs: readonly (Leg | false)[]): Legs | null =>
    isInvolved ? { action, amounts: legs.filter((leg) => leg !== false) } : null;
  const liquidation = transaction.find((event) => event.name === "LiquidateBorrow")?.args;
  switch (name) {
    case "Mint":
      return actionIf("mint", isWallet("minter"), [
        ["OUT", asset, amount("mintAmount")],
        ["IN", log.address, amount("mintTokens")],
      ]);
    case "MintBehalf":
      return actionIf("mint", isWallet("payer") || isWallet("receiver"), [
        isWallet("payer") && ["OUT", asset, amount("mintAmount")],
        isWallet("receiver") && ["IN", log.address, amount("mintTokens")],
      ]);
    case "Redeem":
      return actionIf("redeem", isWallet("redeemer"), [
        ["OUT", log.address, amount("redeemTokens")],
        ["IN", asset, amount("redeemAmount")],
      ]);
    case "Borrow":
      return actionIf("borrow", isWallet("borrower"), [["IN", asset, amount("borrowAmount")]]);
    case "RepayBorrow":
      return actionIf("repay", liquidation === undefined && (isWallet("payer") || isWallet("borrower")), [
        isWallet("payer") && ["OUT", asset, amount("repayAmount")],
      ]);
    case "LiquidateBorrow": {
      const received = transaction.find((event) => event.name === "Transfer" && event.args.to === args.liquidator)?.args.amount ?? "";
      const collateral = args.cTokenCollateral as Address;
      return actionIf("liquidate", isWallet("liquidator") || isWallet("borrower"), [
        isWallet("liquidator") && ["OUT", asset, amount("repayAmount")],
        isWallet("liquidator") && ["IN", collateral, received],
        isWallet("borrower") && ["OUT", collateral, amount("seizeTokens")],
      ]);
    }
    case "Transfer": {
      const isOwnAction = args.from !== log.address && args.to !== log.address && liquidation === undefined;
      return actionIf("transfer", isOwnAction && (isWallet("from") || isWallet("to")), [
        isWallet("from") && ["OUT", log.address, amount("amount")],
        isWallet("to") && ["IN", log.address, amount("amount")],
      ]);
    }
    default:
      return null;
  }
};
