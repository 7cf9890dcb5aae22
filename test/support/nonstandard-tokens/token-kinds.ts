import { type Address, maxUint256, parseSignature, zeroAddress } from "viem";
import { callFrom } from "./common-steps.ts";
import type { Step, StepContext, TokenKind } from "./token-kind.ts";

/** Creates a step that calls a function from a random account. */
const invoke =
  (functionName: string, args: (context: StepContext) => readonly unknown[] = () => []): Step =>
  (token, context) =>
    callFrom(context.anyAccount(), token, functionName, ...args(context));

const toAnyAccount = (context: StepContext): readonly unknown[] => [context.anyAccount(), context.amount()];
const airdrop = invoke("airdrop", ({ accounts, amount }) => [accounts.slice(1, 7), amount()]);
/** The token ids that are minted in a round. */
const items = ({ round }: StepContext): bigint[] => [BigInt(round * 2 + 1), BigInt(round * 2 + 2)];
const mintItem: Step = invoke("mintItem", (context) => [context.anyAccount(), items(context)[0]]);
const moveItem: Step = invoke("moveItem", (context) => [context.anyAccount(), BigInt(context.random.below(2 * context.round + 1) + 1)]);

const permit2612: Step = async (token, context) => {
  const [owner, spender, value] = [context.anyAccount(), context.anyAccount(), context.amount()];
  const [nonce, deadline] = [(await context.read(token, "nonces", [owner])) as bigint, BigInt(context.timestamp + 3_600)];
  const signature = await context.sign(owner, token, "Permit 2612", "Permit", [
    { name: "owner", type: "address", value: owner },
    { name: "spender", type: "address", value: spender },
    { name: "value", type: "uint256", value },
    { name: "nonce", type: "uint256", value: nonce },
    { name: "deadline", type: "uint256", value: deadline },
  ]);
  const { r, s, v } = parseSignature(signature);
  return callFrom(context.anyAccount(), token, "permit", owner, spender, value, deadline, Number(v), r, s);
};

/** Permits: three rounds with different holders and spenders, a fourth that repeats the first, and a last one that revokes the second. */
const permitSilent: Step = async (token, context) => {
  const [holder, spender] = [context.accounts[(context.round % 3) + 1], context.accounts[(context.round % 3) + 2]] as [Address, Address];
  const nonce = (await context.read(token, "nonces", [holder])) as bigint;
  const isAllowed = context.round < 4;
  const signature = await context.sign(holder, token, "Permit Silent", "Permit", [
    { name: "holder", type: "address", value: holder },
    { name: "spender", type: "address", value: spender },
    { name: "nonce", type: "uint256", value: nonce },
    { name: "expiry", type: "uint256", value: 0n },
    { name: "allowed", type: "bool", value: isAllowed },
  ]);
  const { r, s, v } = parseSignature(signature);
  return callFrom(context.anyAccount(), token, "permit", holder, spender, nonce, 0n, isAllowed, Number(v), r, s);
};

/** Spends the allowance of this round's permit. */
const usePermit: Step = (token, context) => {
  const [holder, spender] = [context.accounts[(context.round % 3) + 1], context.accounts[(context.round % 3) + 2]] as [Address, Address];
  return callFrom(spender, token, "transferFrom", holder, context.anyAccount(), context.amount());
};

const rebaseUpAndDown = ({ round }: StepContext): bigint => [130n, 70n, 101n, 99n, 250n][round] ?? 100n;
const upgrade: Step = (token, context) =>
  callFrom(context.anyAccount(), token, "upgrade", context.tokenOf(context.round % 2 === 0 ? "UpgradeAfter" : "UpgradeBefore").address);

/** All token kinds in deployment order. Each contract describes what is unusual about it. */
export const tokenKinds: readonly TokenKind[] = [
  { name: "Plain" },
  // amounts.sol
  { name: "UnreportedFee", isSilent: true },
  { name: "FeeBurnt" },
  { name: "FeeToZero" },
  { name: "FeeOnTop" },
  { name: "Reflection", isSilent: true },
  { name: "MaxMeansAll", steps: { moveAll: invoke("transfer", ({ anyAccount }) => [anyAccount(), maxUint256]) } },
  { name: "CapsAtBalance", steps: { transferTooMuch: invoke("transfer", ({ anyAccount }) => [anyAccount(), 10n ** 30n]) } },
  { name: "MinimumLiquidity" },
  { name: "ZeroAddressHolds", isSilent: true },
  { name: "SupplyNeverFalls" },
  {
    name: "SupplyWithoutEvent",
    steps: { spread: (token, context) => callFrom(context.accounts[0] as Address, token, "transfer", ...toAnyAccount(context)) },
  },
  { name: "MintWithoutTransfer", isSilent: true },
  {
    name: "Wrapped",
    isSilent: true,
    steps: {
      deposit: (token, context) => ({ ...callFrom(context.anyAccount(), token, "deposit"), value: 10n * context.amount() }),
      depositAgain: (token, context) => ({ ...callFrom(context.anyAccount(), token, "deposit"), value: 100n * context.amount() }),
      withdraw: invoke("withdraw", ({ amount }) => [amount()]),
    },
  },
  {
    name: "SelfTransferMints",
    steps: {
      transferToSelf: (token, context) => {
        const self = context.anyAccount();
        return callFrom(self, token, "transfer", self, context.amount());
      },
    },
  },
  {
    name: "Overflowing",
    steps: {
      mintMaximum: invoke("mint", ({ anyAccount }) => [anyAccount(), maxUint256]),
      transferTooMuch: invoke("transfer", ({ anyAccount }) => [anyAccount(), 10n ** 40n]),
    },
  },
  { name: "Uint96", steps: { transferTooMuch: invoke("transfer", ({ anyAccount }) => [anyAccount(), 2n ** 96n]) } },
  { name: "FlashMinting", steps: { flash: invoke("flash", ({ accounts, amount }) => [accounts[1], accounts[2], 1_000n * amount()]) } },
  {
    name: "UnreportedFlashMint",
    steps: { flash: invoke("flash", ({ accounts, amount }) => [accounts[1], accounts[2], 1_000n * amount()]) },
  },
  {
    name: "Vault",
    steps: {
      deposit: invoke("deposit", ({ anyAccount, amount }) => [50n * amount(), anyAccount()]),
      gain: invoke("gain", ({ amount }) => [amount()]),
      redeem: invoke("redeem", ({ anyAccount }) => [10n ** 13n, anyAccount()]),
    },
  },
  {
    name: "NativeAsToken",
    isSilent: true,
    steps: {
      send: (token, context) => ({ ...callFrom(context.anyAccount(), token, "send", context.anyAccount()), value: context.amount() }),
      sendAgain: (token, context) => ({ ...callFrom(context.anyAccount(), token, "send", context.anyAccount()), value: context.amount() }),
    },
  },
  // silent.sol
  { name: "Rebasing", isSilent: true, steps: { rebase: invoke("rebase", (context) => [BigInt(context.round), rebaseUpAndDown(context)]) } },
  { name: "RebasingSilently", isSilent: true, steps: { rebase: invoke("rebase", (context) => [rebaseUpAndDown(context)]) } },
  { name: "Staked", isSilent: true, steps: { report: invoke("report", ({ amount }) => [amount()]) } },
  { name: "Interest", isSilent: true },
  { name: "Demurrage", isSilent: true },
  { name: "Seizing", isSilent: true, steps: { seize: invoke("seize", ({ anyAccount }) => [anyAccount()]) } },
  { name: "SeizingSilently", isSilent: true, steps: { seize: invoke("seize", ({ anyAccount }) => [anyAccount(), anyAccount()]) } },
  { name: "SilentMinting", isSilent: true, steps: { mintSilently: invoke("mintSilently", toAnyAccount) } },
  { name: "Migrating", isSilent: true, steps: { migrate: invoke("migrate") }, rounds: [1, 2, 3] },
  { name: "AirdropOneEvent", isSilent: true, steps: { airdrop } },
  { name: "AirdropOneTransfer", isSilent: true, steps: { airdrop } },
  { name: "AirdropMany", steps: { airdrop } },
  { name: "NoEvents", isUndetectable: true },
  { name: "SelfDestructing", mayBeDestroyed: true, steps: { destroy: invoke("destroy") }, rounds: [3] },
  // permissions.sol
  {
    name: "Blocklist",
    steps: {
      setBlocked: invoke("setBlocked", ({ accounts, round }) => [accounts[2], round % 2 === 0]),
      sendToBlocked: invoke("transfer", ({ accounts, amount }) => [accounts[2], amount()]),
    },
  },
  { name: "Pausable", steps: { setPaused: invoke("setPaused", ({ round }) => [round % 2 === 0]) } },
  { name: "NoZeroTransfer", steps: { transferZero: invoke("transfer", ({ anyAccount }) => [anyAccount(), 0n]) } },
  { name: "NoZeroApproval", steps: { approveZero: invoke("approve", ({ anyAccount }) => [anyAccount(), 0n]) } },
  { name: "NoZeroAddress" },
  { name: "RaceProtected" },
  { name: "MaxAllowanceStays" },
  { name: "ApprovalOnUse" },
  {
    name: "SelfNeedsNoAllowance",
    steps: {
      moveOwn: (token, context) => {
        const self = context.anyAccount();
        return callFrom(self, token, "transferFrom", self, context.anyAccount(), context.amount());
      },
    },
  },
  { name: "AllowanceIgnored" },
  { name: "SilentApproval" },
  { name: "InflatedApproval" },
  { name: "RevokesAll", steps: { revokeAll: invoke("revokeAll") } },
  { name: "Permit2612", steps: { permit: permit2612, permitAgain: permit2612 } },
  { name: "PermitSilent", steps: { permit: permitSilent, usePermit, usePermitAgain: usePermit } },
  { name: "UpgradeBefore" },
  { name: "UpgradeAfter" },
  { name: "Proxy", isSilent: true, steps: { upgrade } },
  { name: "TwoAddresses", isSilent: true },
  { name: "SecondAddress", isSilent: true },
  // events.sol
  { name: "AppendedData" },
  { name: "AllIndexed" },
  { name: "NoneIndexed" },
  { name: "SenderIndexed", isUndetectable: true },
  { name: "WrongAmounts" },
  {
    name: "Phishing",
    steps: {
      claim: invoke("claim", ({ accounts, amount }) => [accounts[3], accounts[4], amount()]),
      claimMint: invoke("claim", ({ anyAccount, amount }) => [zeroAddress, anyAccount(), amount()]),
      claimApproval: invoke("claimApproval", ({ accounts }) => [accounts[3], accounts[4], maxUint256]),
    },
  },
  { name: "CoinAndCollection", isAlsoCollection: true, steps: { mintItem, moveItem } },
  { name: "CustomTransferEvent", isAlsoCollection: true, isSilent: true, steps: { mintItem, moveItem } },
  {
    name: "Hooks",
    steps: {
      transferToReentrantReceiver: invoke("transfer", ({ reentrantReceiver, amount }) => [reentrantReceiver, amount()]),
      transferToReentrantReceiverAgain: invoke("transfer", ({ reentrantReceiver, amount }) => [reentrantReceiver, amount()]),
    },
  },
  // results.sol
  { name: "MissingReturn" },
  { name: "ReturnsFalse" },
  { name: "NoRevert", steps: { transferTooMuch: invoke("transfer", ({ anyAccount }) => [anyAccount(), 10n ** 30n]) } },
  { name: "EventOnFailure", steps: { transferTooMuch: invoke("transfer", ({ anyAccount }) => [anyAccount(), 10n ** 30n]) } },
  { name: "VyperLike" },
  { name: "Bytes32Metadata" },
  { name: "ZeroDecimals" },
  { name: "ManyDecimals" },
  { name: "MetadataReverts" },
  { name: "NoMetadata" },
  { name: "HugeName" },
  { name: "HostileName" },
  { name: "NoTotalSupply" },
  { name: "SupplyReverts" },
  { name: "ConstantSupply" },
  { name: "BalanceReverts", steps: { hide: invoke("hide", ({ accounts }) => [accounts[5]]) }, rounds: [1] },
  { name: "BalanceUsesAllGas", steps: { hide: invoke("hide", ({ accounts }) => [accounts[5]]) }, rounds: [1] },
  { name: "LongResult" },
  { name: "ZeroBalanceReverts" },
];
