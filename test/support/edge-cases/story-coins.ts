import { type Address, encodeAbiParameters, type Hash, type Hex, maxUint256, pad, toHex } from "viem";
import { artifacts, encodeCall } from "../chain.ts";
import type { Deployed, StoryBuilder } from "./story-builder.ts";

/** A story token. */
export interface StoryToken {
  readonly name: string;
  readonly address: Address;
  readonly kind: "erc20" | "erc721" | "erc1155";
  /** The source of correct balances: the token's events, its contract (`node`), or neither because its code is destroyed (`none`). */
  readonly balanceSource: "events" | "node" | "none";
}

/** The story's accounts. */
export interface Accounts {
  readonly owner: Address;
  readonly alice: Address;
  readonly bob: Address;
  readonly carol: Address;
  /** Sends no transactions, but appears in other accounts' transactions. */
  readonly victim: Address;
}

const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const transferBatchTopic = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
const unit = 10n ** 18n;
const asWord = (value: Hex | bigint): Hash => (typeof value === "bigint" ? toHex(value, { size: 32 }) : pad(value));

/** Deploys coins with correct and with misleading events. */
export async function deployCoins(builder: StoryBuilder) {
  const { chain } = builder;
  const deployArtifact = async (artifact: ReturnType<typeof artifacts.weth>, parameters: readonly unknown[] = []): Promise<Deployed> => {
    const address = (await chain.deploy(artifact, parameters)).toLowerCase() as Address;
    return { address, call: (name, ...rest) => encodeCall(artifact, address, name, rest) };
  };
  return {
    gold: await deployArtifact(artifacts.erc20(), ["Gold", "GLD"]),
    wrapped: await deployArtifact(artifacts.weth()),
    /** The same contract as `wrapped`, but not in the configuration. */
    unknownWrapped: await deployArtifact(artifacts.weth()),
    reportedFee: await builder.deploy("ReportedFeeCoin"),
    rebasing: await builder.deploy("RebasingCoin"),
    unreportedFee: await builder.deploy("UnreportedFeeCoin"),
    phishing: await builder.deploy("PhishingCoin"),
    constantBalance: await builder.deploy("ConstantBalanceCoin"),
    overflowing: await builder.deploy("OverflowingCoin"),
    mortal: await builder.deploy("MortalCoin"),
    logEmitter: await builder.deploy("LogEmitter"),
  };
}
export type Coins = Awaited<ReturnType<typeof deployCoins>>;

/** Lists the coins with the source of their balances. */
export const coinTokens = (coins: Coins): StoryToken[] => [
  { name: "gold", address: coins.gold.address, kind: "erc20", balanceSource: "events" },
  { name: "wrapped", address: coins.wrapped.address, kind: "erc20", balanceSource: "events" },
  { name: "reportedFee", address: coins.reportedFee.address, kind: "erc20", balanceSource: "events" },
  { name: "unknownWrapped", address: coins.unknownWrapped.address, kind: "erc20", balanceSource: "node" },
  { name: "rebasing", address: coins.rebasing.address, kind: "erc20", balanceSource: "node" },
  { name: "unreportedFee", address: coins.unreportedFee.address, kind: "erc20", balanceSource: "node" },
  { name: "phishing", address: coins.phishing.address, kind: "erc20", balanceSource: "node" },
  { name: "constantBalance", address: coins.constantBalance.address, kind: "erc20", balanceSource: "node" },
  { name: "overflowing", address: coins.overflowing.address, kind: "erc20", balanceSource: "node" },
];

/** Mines one round for coins with correct events: two blocks, with different amounts in each round. */
export async function addStandardCoins(builder: StoryBuilder, coins: Coins, accounts: Accounts, round: number): Promise<void> {
  const { owner, alice, bob, carol, victim } = accounts;
  const amount = BigInt(round + 1) * unit;
  // Has the same first and last digits as the victim's address.
  const lookalike = `${victim.slice(0, 6)}${"0".repeat(32)}${victim.slice(-4)}` as Address;
  await builder.mineBlock(
    coins.gold.call("mint", alice, 10n * amount),
    coins.gold.call("mint", victim, amount),
    { from: alice, ...coins.gold.call("transfer", bob, 3n * amount) },
    { from: alice, ...coins.gold.call("transfer", alice, 2n * amount) },
    // Address poisoning: a transferFrom of 0 needs no allowance.
    { from: carol, ...coins.gold.call("transferFrom", victim, lookalike, 0n) },
    { from: bob, ...coins.wrapped.call("deposit"), value: 5n * amount },
    { from: carol, ...coins.wrapped.call("deposit"), value: amount },
    coins.reportedFee.call("mint", alice, 100n * amount),
  );
  await builder.mineBlock(
    { from: bob, ...coins.wrapped.call("withdraw", 2n * amount) },
    { from: bob, ...coins.wrapped.call("transfer", carol, amount) },
    { from: bob, ...coins.gold.call("burn", amount) },
    { from: alice, ...coins.reportedFee.call("transfer", bob, 40n * amount + 7n) },
    { from: bob, ...coins.reportedFee.call("transfer", coins.reportedFee.address, amount) },
    { from: owner, ...coins.mortal.call("mint", carol, amount) },
  );
}

/** Mines a block with many transfers back and forth between the same accounts. */
export async function addCrowdedBlock(builder: StoryBuilder, coins: Coins, { alice, bob }: Accounts): Promise<void> {
  const aliceToBob = { from: alice, ...coins.gold.call("transfer", bob, 5n), gas: 100_000n };
  const bobToAlice = { from: bob, ...coins.gold.call("transfer", alice, 3n), gas: 100_000n };
  await builder.mineBlock(...Array.from({ length: 40 }, () => [aliceToBob, bobToAlice]).flat());
}

/** Mines one round for coins with misleading events: two blocks. */
export async function addMisleadingCoins(builder: StoryBuilder, coins: Coins, accounts: Accounts, round: number): Promise<void> {
  const { alice, bob, carol, victim } = accounts;
  const amount = BigInt(round + 1) * unit;
  await builder.mineBlock(
    coins.rebasing.call("mint", alice, 100n * amount),
    coins.unreportedFee.call("mint", alice, 100n * amount),
    coins.phishing.call("claim", victim, carol, 5n * amount),
    coins.phishing.call("claim", carol, victim, 9n * amount),
    coins.constantBalance.call("airdrop", bob, amount),
    { from: carol, ...coins.unknownWrapped.call("deposit"), value: 4n * amount },
    coins.overflowing.call("mint", alice, amount),
  );
  await builder.mineBlock(
    { from: alice, ...coins.rebasing.call("transfer", bob, 30n * amount) },
    coins.rebasing.call("rebase", 1_000n * amount + 13n),
    { from: alice, ...coins.unreportedFee.call("transfer", bob, 60n * amount) },
    { from: carol, ...coins.unknownWrapped.call("transfer", bob, 3n * amount) },
    { from: bob, ...coins.unknownWrapped.call("withdraw", amount) },
    // More than the balance, which then underflows.
    coins.overflowing.call("transferFrom", bob, carol, 2n * amount),
  );
}

/** Mines transfers of 2^256 - 1, and mints with an overflowing sum. */
export async function addOverflows(builder: StoryBuilder, coins: Coins, { alice, bob }: Accounts): Promise<Deployed> {
  const largest = await builder.deploy("ReportedFeeCoin");
  await builder.mineBlock(
    largest.call("mint", alice, maxUint256),
    { from: alice, ...largest.call("transferFrom", alice, bob, maxUint256) },
    coins.overflowing.call("mint", alice, maxUint256),
    coins.overflowing.call("mint", alice, maxUint256),
  );
  return largest;
}

/** Mines logs that have the topics of transfers but are malformed. */
export async function addMalformedLogs(builder: StoryBuilder, { logEmitter }: Coins, { alice, bob }: Accounts): Promise<void> {
  const emitLog = (topics: readonly Hex[], data: Hex = "0x") => logEmitter.call("emitLog", topics, data);
  const [from, to] = [asWord(alice), asWord(bob)];
  const dirty = `0xffffffffffffffffffffffff${alice.slice(2)}` as Hash;
  const outOfBounds = asWord(maxUint256 - 31n);
  await builder.mineBlock(
    emitLog([]),
    emitLog([], asWord(7n)),
    emitLog([transferTopic]),
    emitLog([transferTopic, from], asWord(to)),
    emitLog([transferTopic, dirty, to], asWord(5n)),
    emitLog([transferTopic, from, to], "0x05"),
    emitLog([transferTopic, from, to], `${asWord(5n)}${asWord(6n).slice(2)}`),
    emitLog([transferTopic, from, to, asWord(1n)], asWord(5n)),
    emitLog([transferTopic], encodeAbiParameters([{ type: "bytes32" }, { type: "address" }, { type: "uint256" }], [dirty, bob, 1n])),
    emitLog([transferBatchTopic, from, from, to], `${outOfBounds}${outOfBounds.slice(2)}`),
    emitLog([transferBatchTopic, from, from, to], `${asWord(64n)}${asWord(64n).slice(2)}${outOfBounds.slice(2)}`),
    emitLog([transferBatchTopic, from, from, to], encodeAbiParameters([{ type: "uint256[]" }, { type: "uint256[]" }], [[1n, 2n], [5n]])),
  );
}
