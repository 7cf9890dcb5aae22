import type { Address } from "../../../../../runtime/lib/hex.ts";
import type { TestChain } from "../../../../support/chain.ts";
import { deposit, withdraw } from "../support.ts";
import { type ExpectedAction, eventsOf, isBurn, isMint, type NodeEvent, transferEvent } from "./logs.ts";

/** A vault and its contract: LegacyVault is version 2, StrategyVault version 3. */
export interface VaultOfVersion {
  readonly address: Address;
  readonly contract: "LegacyVault" | "StrategyVault";
}

const withdrawV2 = "Withdraw(address indexed recipient, uint256 shares, uint256 amount)";
const reportedV2 =
  "StrategyReported(address indexed strategy, uint256 gain, uint256 loss, uint256 debtPaid, uint256 totalGain, uint256 totalLoss, uint256 totalDebt, uint256 debtAdded, uint256 debtRatio)";
const reportedV3 =
  "StrategyReported(address indexed strategy, uint256 gain, uint256 loss, uint256 current_debt, uint256 protocol_fees, uint256 total_fees, uint256 total_refunds)";

/** The blocks with vault logs on the node that make readings due. */
export const usedBlocks = async (chain: TestChain, { address, contract }: VaultOfVersion): Promise<number[]> => {
  const events = contract === "LegacyVault" ? [transferEvent, reportedV2] : [deposit, withdraw, reportedV3];
  const found = await Promise.all(events.map((event) => eventsOf(chain, [address], event)));
  return found.flat().map(({ block }) => block);
};

/** All accounts' actions with vaults, from the node's logs. */
export const allActions = async (chain: TestChain, token: Address, vaults: readonly VaultOfVersion[]): Promise<ExpectedAction[]> => {
  const addressesOf = (version: VaultOfVersion["contract"]) =>
    vaults.filter(({ contract }) => contract === version).map(({ address }) => address);
  const [v2, v3] = [addressesOf("LegacyVault"), addressesOf("StrategyVault")];
  const [transfersV2 = [], transfersV3 = [], moved = []] = await Promise.all(
    [v2, v3, [token]].map((addresses) => eventsOf(chain, addresses, transferEvent)),
  );
  const deposits = await eventsOf(chain, v3, deposit);
  const withdrawals = await eventsOf(chain, v3, withdraw);
  const paidToOthers = await eventsOf(chain, v2, withdrawV2);
  return [
    ...transfersV2.flatMap((event) => actionOfV2(token, event, moved)),
    ...paidToOthers.flatMap((event) => paymentOfV2(token, event, transfersV2)),
    ...deposits.map((event) => depositOf(token, event)),
    ...withdrawals.map((event) => withdrawalOf(token, event)),
    ...transfersV3.filter((event) => !isMint(event) && !isBurn(event)).map(transferOf),
  ];
};

const account = (event: NodeEvent, name: string): Address => event.values[name] as Address;
const amount = (event: NodeEvent, name: string): string => event.values[name] ?? "";

const depositOf = (token: Address, event: NodeEvent): ExpectedAction => ({
  ...{ action: "deposit", event },
  legs: [
    [account(event, "sender"), ["OUT", token, amount(event, "assets")]],
    [account(event, "owner"), ["IN", event.address, amount(event, "shares")]],
  ],
});

const withdrawalOf = (token: Address, event: NodeEvent): ExpectedAction => ({
  ...{ action: "withdraw", event },
  others: [account(event, "sender")],
  legs: [
    [account(event, "owner"), ["OUT", event.address, amount(event, "shares")]],
    [account(event, "receiver"), ["IN", token, amount(event, "assets")]],
  ],
});

const transferOf = (event: NodeEvent): ExpectedAction => ({
  ...{ action: "transfer", event },
  legs: [
    [account(event, "from"), ["OUT", event.address, amount(event, "value")]],
    [account(event, "to"), ["IN", event.address, amount(event, "value")]],
  ],
});

/**
 * Version 2 mints or burns shares before it transfers the assets, in the same transaction. The action belongs to the owner of the shares, even
 * if another account pays or receives the assets. Shares that the vault mints to itself are fees.
 */
const actionOfV2 = (token: Address, event: NodeEvent, moved: readonly NodeEvent[]): ExpectedAction[] => {
  if (!isMint(event) && !isBurn(event)) return [transferOf(event)];
  const [action, owner, other, direction] = isMint(event)
    ? (["deposit", account(event, "to"), "from", "IN"] as const)
    : (["withdraw", account(event, "from"), "to", "OUT"] as const);
  if (owner === event.address) return [];
  const assets = moved.find(
    ({ hash, index, values }) => hash === event.hash && index > event.index && values[isMint(event) ? "to" : "from"] === event.address,
  );
  if (assets === undefined) throw new Error(`No assets moved in ${event.hash}`);
  const opposite = direction === "IN" ? "OUT" : "IN";
  const legs: ExpectedAction["legs"] = [
    [owner, [direction, event.address, amount(event, "value")]],
    ...(account(assets, other) === owner ? [[owner, [opposite, token, amount(assets, "value")]] as const] : []),
  ];
  return [{ action, event, legs }];
};

/** The action of an account that receives a withdrawal's assets but did not own the shares; empty if their owner receives the assets. */
const paymentOfV2 = (token: Address, event: NodeEvent, shares: readonly NodeEvent[]): ExpectedAction[] => {
  const burned = shares
    .filter((log) => isBurn(log) && log.hash === event.hash && log.address === event.address && log.index < event.index)
    .at(-1);
  const recipient = account(event, "recipient");
  if (burned === undefined) throw new Error(`No shares burned in ${event.hash}`);
  if (account(burned, "from") === recipient) return [];
  return [{ action: "withdraw", event, legs: [[recipient, ["IN", token, amount(event, "amount")]]] }];
};
