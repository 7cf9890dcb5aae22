import { type Address, maxUint256, parseSignature, zeroAddress } from "viem";
import { by } from "./ordinary-actions.ts";
import type { Kind, Stage, Step } from "./token-kind.ts";

/** A call by one of the people, whose arguments follow from the stage. */
const calling =
  (functionName: string, args: (stage: Stage) => readonly unknown[] = () => []): Step =>
  (token, stage) =>
    by(stage.somebody(), token, functionName, ...args(stage));

const toSomebody = (stage: Stage): readonly unknown[] => [stage.somebody(), stage.amount()];
const airdrop = calling("airdrop", ({ people, amount }) => [people.slice(1, 7), amount()]);
/** The items of a contract that moves ids; each act has its own. */
const items = ({ act }: Stage): bigint[] => [BigInt(act * 2 + 1), BigInt(act * 2 + 2)];
const mintItem: Step = calling("mintItem", (stage) => [stage.somebody(), items(stage)[0]]);
const moveItem: Step = calling("moveItem", (stage) => [stage.somebody(), BigInt(stage.random.below(2 * stage.act + 1) + 1)]);

const permit2612: Step = async (token, stage) => {
  const [owner, spender, value] = [stage.somebody(), stage.somebody(), stage.amount()];
  const [nonce, deadline] = [(await stage.read(token, "nonces", [owner])) as bigint, BigInt(stage.timestamp + 3_600)];
  const signature = await stage.sign(owner, token, "Permit 2612", "Permit", [
    { name: "owner", type: "address", value: owner },
    { name: "spender", type: "address", value: spender },
    { name: "value", type: "uint256", value },
    { name: "nonce", type: "uint256", value: nonce },
    { name: "deadline", type: "uint256", value: deadline },
  ]);
  const { r, s, v } = parseSignature(signature);
  return by(stage.somebody(), token, "permit", owner, spender, value, deadline, Number(v), r, s);
};

/** Three acts allow, each with its own holder and spender; the fourth repeats the first of these and the last takes back what the second allowed. */
const permitSilent: Step = async (token, stage) => {
  const [holder, spender] = [stage.people[(stage.act % 3) + 1], stage.people[(stage.act % 3) + 2]] as [Address, Address];
  const nonce = (await stage.read(token, "nonces", [holder])) as bigint;
  const isAllowed = stage.act < 4;
  const signature = await stage.sign(holder, token, "Permit Silent", "Permit", [
    { name: "holder", type: "address", value: holder },
    { name: "spender", type: "address", value: spender },
    { name: "nonce", type: "uint256", value: nonce },
    { name: "expiry", type: "uint256", value: 0n },
    { name: "allowed", type: "bool", value: isAllowed },
  ]);
  const { r, s, v } = parseSignature(signature);
  return by(stage.somebody(), token, "permit", holder, spender, nonce, 0n, isAllowed, Number(v), r, s);
};

/** The spender of this act's silent permit uses it. */
const usePermit: Step = (token, stage) => {
  const [holder, spender] = [stage.people[(stage.act % 3) + 1], stage.people[(stage.act % 3) + 2]] as [Address, Address];
  return by(spender, token, "transferFrom", holder, stage.somebody(), stage.amount());
};

const rebaseUpAndDown = ({ act }: Stage): bigint => [130n, 70n, 101n, 99n, 250n][act] ?? 100n;
const upgrade: Step = (token, stage) =>
  by(stage.somebody(), token, "upgrade", stage.tokenOf(stage.act % 2 === 0 ? "UpgradeAfter" : "UpgradeBefore").address);

/** All kinds in the order in which they are deployed. What is odd about each is said above its contract. */
export const kinds: readonly Kind[] = [
  { name: "Plain" },
  // amounts.sol
  { name: "FeeUnseen", isSilent: true },
  { name: "FeeBurnt" },
  { name: "FeeToZero" },
  { name: "FeeOnTop" },
  { name: "Reflection", isSilent: true },
  { name: "MaxMeansAll", steps: { moveAll: calling("transfer", ({ somebody }) => [somebody(), maxUint256]) } },
  { name: "Clips", steps: { moveTooMuch: calling("transfer", ({ somebody }) => [somebody(), 10n ** 30n]) } },
  { name: "MinimumLiquidity" },
  { name: "ZeroHolds", isSilent: true },
  { name: "SupplyNeverFalls" },
  {
    name: "SupplyWithoutEvent",
    steps: { spread: (token, stage) => by(stage.people[0] as Address, token, "transfer", ...toSomebody(stage)) },
  },
  { name: "MintWithoutTransfer", isSilent: true },
  {
    name: "Wrapped",
    isSilent: true,
    steps: {
      deposit: (token, stage) => ({ ...by(stage.somebody(), token, "deposit"), value: 10n * stage.amount() }),
      depositAgain: (token, stage) => ({ ...by(stage.somebody(), token, "deposit"), value: 100n * stage.amount() }),
      withdraw: calling("withdraw", ({ amount }) => [amount()]),
    },
  },
  {
    name: "SelfTransferMints",
    steps: {
      transferToOneself: (token, stage) => {
        const self = stage.somebody();
        return by(self, token, "transfer", self, stage.amount());
      },
    },
  },
  {
    name: "Overflowing",
    steps: {
      mintTheLargest: calling("mint", ({ somebody }) => [somebody(), maxUint256]),
      moveTooMuch: calling("transfer", ({ somebody }) => [somebody(), 10n ** 40n]),
    },
  },
  { name: "Uint96", steps: { moveTooMuch: calling("transfer", ({ somebody }) => [somebody(), 2n ** 96n]) } },
  { name: "FlashMinting", steps: { flash: calling("flash", ({ people, amount }) => [people[1], people[2], 1_000n * amount()]) } },
  { name: "FlashUnseen", steps: { flash: calling("flash", ({ people, amount }) => [people[1], people[2], 1_000n * amount()]) } },
  {
    name: "Vault",
    steps: {
      deposit: calling("deposit", ({ somebody, amount }) => [50n * amount(), somebody()]),
      gain: calling("gain", ({ amount }) => [amount()]),
      redeem: calling("redeem", ({ somebody }) => [10n ** 13n, somebody()]),
    },
  },
  {
    name: "NativeAsCoin",
    isSilent: true,
    steps: {
      send: (token, stage) => ({ ...by(stage.somebody(), token, "send", stage.somebody()), value: stage.amount() }),
      sendAgain: (token, stage) => ({ ...by(stage.somebody(), token, "send", stage.somebody()), value: stage.amount() }),
    },
  },
  // silent.sol
  { name: "Rebasing", isSilent: true, steps: { rebase: calling("rebase", (stage) => [BigInt(stage.act), rebaseUpAndDown(stage)]) } },
  { name: "RebasingSilently", isSilent: true, steps: { rebase: calling("rebase", (stage) => [rebaseUpAndDown(stage)]) } },
  { name: "Staked", isSilent: true, steps: { report: calling("report", ({ amount }) => [amount()]) } },
  { name: "Interest", isSilent: true },
  { name: "Demurrage", isSilent: true },
  { name: "Seizing", isSilent: true, steps: { seize: calling("seize", ({ somebody }) => [somebody()]) } },
  { name: "SeizingSilently", isSilent: true, steps: { seize: calling("seize", ({ somebody }) => [somebody(), somebody()]) } },
  { name: "Gifting", isSilent: true, steps: { gift: calling("gift", toSomebody) } },
  { name: "Migrating", isSilent: true, steps: { migrate: calling("migrate") }, acts: [1, 2, 3] },
  { name: "AirdropOneEvent", isSilent: true, steps: { airdrop } },
  { name: "AirdropOneTransfer", isSilent: true, steps: { airdrop } },
  { name: "AirdropMany", steps: { airdrop } },
  { name: "NoEvents", isUnseen: true },
  { name: "SelfDestructing", mayBeGone: true, steps: { die: calling("die") }, acts: [3] },
  // permissions.sol
  {
    name: "Blocklist",
    steps: {
      setBlocked: calling("setBlocked", ({ people, act }) => [people[2], act % 2 === 0]),
      sendToBlocked: calling("transfer", ({ people, amount }) => [people[2], amount()]),
    },
  },
  { name: "Pausable", steps: { setPaused: calling("setPaused", ({ act }) => [act % 2 === 0]) } },
  { name: "NoZeroTransfer", steps: { moveNothing: calling("transfer", ({ somebody }) => [somebody(), 0n]) } },
  { name: "NoZeroApproval", steps: { revokeNothing: calling("approve", ({ somebody }) => [somebody(), 0n]) } },
  { name: "NoZeroAddress" },
  { name: "RaceProtected" },
  { name: "MaxStays" },
  { name: "ApprovalOnUse" },
  {
    name: "SelfNeedsNoAllowance",
    steps: {
      moveOwn: (token, stage) => {
        const self = stage.somebody();
        return by(self, token, "transferFrom", self, stage.somebody(), stage.amount());
      },
    },
  },
  { name: "NobodyAsksAllowance" },
  { name: "SilentApproval" },
  { name: "BoastingApproval" },
  { name: "RevokesAll", steps: { revokeAll: calling("revokeAll") } },
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
  { name: "SenderIndexed", isUnseen: true },
  { name: "WrongAmounts" },
  {
    name: "Phishing",
    steps: {
      claim: calling("claim", ({ people, amount }) => [people[3], people[4], amount()]),
      claimMint: calling("claim", ({ somebody, amount }) => [zeroAddress, somebody(), amount()]),
      claimApproval: calling("claimApproval", ({ people }) => [people[3], people[4], maxUint256]),
    },
  },
  { name: "CoinAndCollection", isCollectionToo: true, steps: { mintItem, moveItem } },
  { name: "CoinOfOwnEvent", isCollectionToo: true, isSilent: true, steps: { mintItem, moveItem } },
  {
    name: "Hooks",
    steps: {
      moveToReentering: calling("transfer", ({ reentering, amount }) => [reentering, amount()]),
      moveThereAgain: calling("transfer", ({ reentering, amount }) => [reentering, amount()]),
    },
  },
  // answers.sol
  { name: "MissingReturn" },
  { name: "ReturnsFalse" },
  { name: "NoRevert", steps: { moveTooMuch: calling("transfer", ({ somebody }) => [somebody(), 10n ** 30n]) } },
  { name: "EventOfFailure", steps: { moveTooMuch: calling("transfer", ({ somebody }) => [somebody(), 10n ** 30n]) } },
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
  { name: "SupplyInvented" },
  { name: "BalanceReverts", steps: { hide: calling("hide", ({ people }) => [people[5]]) }, acts: [1] },
  { name: "BalanceEndless", steps: { hide: calling("hide", ({ people }) => [people[5]]) }, acts: [1] },
  { name: "LongAnswer" },
  { name: "ZeroBalanceReverts" },
];
