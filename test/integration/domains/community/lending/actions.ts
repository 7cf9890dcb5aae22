import { type Abi, decodeEventLog } from "viem";
import { type Address, type Hex, zeroAddress } from "../../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../../support/chain.ts";
import { contracts } from "./contracts.ts";
import type { LendingMarket, LendingReserve } from "./market.ts";

type Leg = readonly [wallet: Address, direction: "IN" | "OUT", token: Address, amount: bigint];

interface NodeLog {
  readonly topics: [Hex, ...Hex[]];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly transactionHash: Hex;
  readonly logIndex: Hex;
  readonly address: Address;
}

/** The arguments of all events, addresses in lower case; each event has some of them. */
interface Arguments {
  readonly reserve: Address;
  readonly user: Address;
  readonly onBehalfOf: Address;
  readonly from: Address;
  readonly to: Address;
  readonly repayer: Address;
  readonly liquidator: Address;
  readonly collateralAsset: Address;
  readonly debtAsset: Address;
  readonly amount: bigint;
  readonly value: bigint;
  readonly debtToCover: bigint;
  readonly liquidatedCollateralAmount: bigint;
  readonly useATokens?: boolean;
  readonly receiveAToken: boolean;
}

interface Decoded {
  readonly log: NodeLog;
  readonly name: string;
  readonly args: Arguments;
}

/** An action from the node's logs, with the accounts that it concerns and what each of them paid and received. */
interface ExpectedAction {
  readonly log: NodeLog;
  readonly action: string;
  readonly pool: Address;
  readonly accounts: readonly Address[];
  readonly legs: readonly Leg[];
}

const decode = (log: NodeLog, abi: Abi): Decoded => {
  const { eventName, args } = decodeEventLog({ abi, topics: log.topics, data: log.data }) as { eventName: string; args: object };
  const values = Object.entries(args).map(([name, value]) => [name, typeof value === "string" ? value.toLowerCase() : value]);
  return { log, name: eventName, args: Object.fromEntries(values) as Arguments };
};

const orderOf = ({ blockNumber, logIndex }: NodeLog): number => Number(blockNumber) * 10_000 + Number(logIndex);

/** An account's actions with the pools, from the node's logs: newest first, as the endpoint returns them. */
export const actionsOf = async (chain: TestChain, { pools, reserves }: LendingMarket, wallet: Address) => {
  const logsOf = (address: readonly Address[]) => chain.rpc<NodeLog[]>("eth_getLogs", [{ fromBlock: "0x0", toBlock: "latest", address }]);
  const poolEvents = (await logsOf(pools.map(({ address }) => address))).map((log) => decode(log, contracts("LendingPool").abi));
  const tokenEvents = (await logsOf(reserves.map(({ aToken }) => aToken))).map((log) => decode(log, contracts("AToken").abi));
  const found = [...poolEvents.flatMap((event) => poolAction(event, reserves)), ...transfers(tokenEvents, poolEvents)];
  return found
    .filter(({ accounts }) => accounts.includes(wallet))
    .sort((left, right) => orderOf(right.log) - orderOf(left.log))
    .map(({ log, action, pool, legs }) => ({
      action,
      block_height: Number(log.blockNumber),
      log_offset: Number(log.logIndex),
      tx_hash: log.transactionHash,
      pool_address: pool,
      amounts: inOrder(
        legs.filter(([account]) => account === wallet).map(([, direction, token, amount]) => `${direction} ${token} ${amount}`),
      ),
    }));
};

const poolAction = ({ log, name, args }: Decoded, reserves: readonly LendingReserve[]): ExpectedAction[] => {
  const { reserve, user, onBehalfOf, to, repayer, liquidator, amount, debtToCover, liquidatedCollateralAmount: seized } = args;
  const receipt = (asset: Address): Address =>
    reserves.find(({ coin, pool }) => pool === log.address && coin.address === asset)?.aToken ?? zeroAddress;
  const actionOf = (action: string, asset: Address, accounts: readonly Address[], legs: readonly Leg[]): ExpectedAction[] => [
    { log, action, pool: receipt(asset), accounts, legs },
  ];
  const repaid: Leg = [repayer, "OUT", args.useATokens === true ? receipt(reserve) : reserve, amount];
  switch (name) {
    case "Supply":
    case "Deposit":
      return actionOf(
        name.toLowerCase(),
        reserve,
        [user, onBehalfOf],
        [
          [user, "OUT", reserve, amount],
          [onBehalfOf, "IN", receipt(reserve), amount],
        ],
      );
    case "Withdraw":
      return actionOf(
        "withdraw",
        reserve,
        [user, to],
        [
          [user, "OUT", receipt(reserve), amount],
          [to, "IN", reserve, amount],
        ],
      );
    case "Borrow":
      return actionOf("borrow", reserve, [user, onBehalfOf], [[user, "IN", reserve, amount]]);
    case "Repay":
      return actionOf("repay", reserve, [user, repayer], [repaid]);
    case "LiquidationCall":
      return actionOf(
        "liquidation",
        args.debtAsset,
        [user, liquidator],
        [
          [liquidator, "OUT", args.debtAsset, debtToCover],
          [liquidator, "IN", args.receiveAToken === true ? receipt(args.collateralAsset) : args.collateralAsset, seized],
          [user, "OUT", receipt(args.collateralAsset), seized],
        ],
      );
    default:
      return [];
  }
};

/** aToken transfers outside liquidations, with the amounts of the adjacent Transfer events. */
const transfers = (tokenEvents: readonly Decoded[], poolEvents: readonly Decoded[]): ExpectedAction[] =>
  tokenEvents
    .filter(({ name }) => name === "BalanceTransfer")
    .flatMap(({ log, args: { from, to } }) => {
      const isLiquidation = poolEvents.some(
        (other) => other.name === "LiquidationCall" && other.log.transactionHash === log.transactionHash && other.args.user === from,
      );
      if (isLiquidation) return [];
      const moved = tokenEvents.find(
        (other) =>
          other.name === "Transfer" &&
          Math.abs(orderOf(other.log) - orderOf(log)) === 1 &&
          other.args.from === from &&
          other.args.to === to,
      );
      const amount = moved?.args.value ?? 0n;
      const legs: Leg[] = [
        [from, "OUT", log.address, amount],
        [to, "IN", log.address, amount],
      ];
      return [{ log, action: "transfer", pool: log.address, accounts: [from, to], legs }];
    });

/** Sorts amounts: those that the wallet paid come first. */
const inOrder = (amounts: readonly string[]): string[] => [
  ...amounts.filter((text) => text.startsWith("OUT")).sort(),
  ...amounts.filter((text) => text.startsWith("IN")).sort(),
];

/** The endpoint's items, in the format of the expected actions. */
export const servedActions = (items: readonly Readonly<Record<string, unknown>>[]) =>
  items.map(({ action, block_height, log_offset, tx_hash, pool_address, amounts }) => ({
    ...{ action, block_height, log_offset, tx_hash, pool_address },
    amounts: (amounts as { direction: string; amount: string; contract_address: string }[]).map(
      ({ direction, amount, contract_address }) => `${direction} ${contract_address} ${amount}`,
    ),
  }));
