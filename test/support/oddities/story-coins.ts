import { type Address, encodeAbiParameters, type Hash, type Hex, maxUint256, pad, toHex } from "viem";
import { artifacts, call } from "../chain.ts";
import type { Deployed, Teller } from "./story-builder.ts";

/** A token of the story, and by whose word its balances are. */
export interface StoryToken {
  readonly name: string;
  readonly address: Address;
  readonly kind: "erc20" | "erc721" | "erc1155";
  /** `events`: they tell the truth. `node`: they do not. `gone`: no code is left to ask. */
  readonly truth: "events" | "node" | "gone";
}

/** Who acts in the story. */
export interface People {
  readonly owner: Address;
  readonly alice: Address;
  readonly bob: Address;
  readonly carol: Address;
  /** Never acts; others use their name. */
  readonly victim: Address;
}

const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const transferBatchTopic = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";
const unit = 10n ** 18n;
const asWord = (value: Hex | bigint): Hash => (typeof value === "bigint" ? toHex(value, { size: 32 }) : pad(value));

/** Coins whose events say what happened, and those whose events do not. */
export async function openCoins(teller: Teller) {
  const { chain } = teller;
  const deployed = async (artifact: ReturnType<typeof artifacts.weth>, parameters: readonly unknown[] = []): Promise<Deployed> => {
    const address = (await chain.deploy(artifact, parameters)).toLowerCase() as Address;
    return { address, call: (name, ...rest) => call(artifact, address, name, rest) };
  };
  return {
    gold: await deployed(artifacts.erc20(), ["Gold", "GLD"]),
    wrapped: await deployed(artifacts.weth()),
    /** The same contract, of which no configuration knows. */
    unknownWrapped: await deployed(artifacts.weth()),
    honestToll: await teller.deploy("HonestTollCoin"),
    rebasing: await teller.deploy("RebasingCoin"),
    toll: await teller.deploy("TollCoin"),
    phishing: await teller.deploy("PhishingCoin"),
    bragging: await teller.deploy("BraggingCoin"),
    wrapping: await teller.deploy("WrappingCoin"),
    mortal: await teller.deploy("MortalCoin"),
    shouter: await teller.deploy("Shouter"),
  };
}
export type Coins = Awaited<ReturnType<typeof openCoins>>;

/** What the coins are to an auditor. */
export const coinTokens = (coins: Coins): StoryToken[] => [
  { name: "gold", address: coins.gold.address, kind: "erc20", truth: "events" },
  { name: "wrapped", address: coins.wrapped.address, kind: "erc20", truth: "events" },
  { name: "honestToll", address: coins.honestToll.address, kind: "erc20", truth: "events" },
  { name: "unknownWrapped", address: coins.unknownWrapped.address, kind: "erc20", truth: "node" },
  { name: "rebasing", address: coins.rebasing.address, kind: "erc20", truth: "node" },
  { name: "toll", address: coins.toll.address, kind: "erc20", truth: "node" },
  { name: "phishing", address: coins.phishing.address, kind: "erc20", truth: "node" },
  { name: "bragging", address: coins.bragging.address, kind: "erc20", truth: "node" },
  { name: "wrapping", address: coins.wrapping.address, kind: "erc20", truth: "node" },
];

/** One round of what honest coins go through: two blocks, other amounts in each round. */
export async function tellHonestCoins(teller: Teller, coins: Coins, people: People, round: number): Promise<void> {
  const { owner, alice, bob, carol, victim } = people;
  const amount = BigInt(round + 1) * unit;
  // Looks like the victim to those who read the ends of an address alone.
  const lookalike = `${victim.slice(0, 6)}${"0".repeat(32)}${victim.slice(-4)}` as Address;
  await teller.block(
    coins.gold.call("mint", alice, 10n * amount),
    coins.gold.call("mint", victim, amount),
    { from: alice, ...coins.gold.call("transfer", bob, 3n * amount) },
    { from: alice, ...coins.gold.call("transfer", alice, 2n * amount) },
    // Nobody's consent is needed to move nothing (EIP-20): the victim's list is poisoned with an address like one of its own.
    { from: carol, ...coins.gold.call("transferFrom", victim, lookalike, 0n) },
    { from: bob, ...coins.wrapped.call("deposit"), value: 5n * amount },
    { from: carol, ...coins.wrapped.call("deposit"), value: amount },
    coins.honestToll.call("mint", alice, 100n * amount),
  );
  await teller.block(
    { from: bob, ...coins.wrapped.call("withdraw", 2n * amount) },
    { from: bob, ...coins.wrapped.call("transfer", carol, amount) },
    { from: bob, ...coins.gold.call("burn", amount) },
    { from: alice, ...coins.honestToll.call("transfer", bob, 40n * amount + 7n) },
    { from: bob, ...coins.honestToll.call("transfer", coins.honestToll.address, amount) },
    { from: owner, ...coins.mortal.call("mint", carol, amount) },
  );
}

/** Many movements of the same keys in one block, there and back again. */
export async function tellCrowdedBlock(teller: Teller, coins: Coins, { alice, bob }: People): Promise<void> {
  const there = { from: alice, ...coins.gold.call("transfer", bob, 5n), gas: 100_000n };
  const back = { from: bob, ...coins.gold.call("transfer", alice, 3n), gas: 100_000n };
  await teller.block(...Array.from({ length: 40 }, () => [there, back]).flat());
}

/** One round of coins whose events mislead: two blocks. */
export async function tellMisleadingCoins(teller: Teller, coins: Coins, people: People, round: number): Promise<void> {
  const { alice, bob, carol, victim } = people;
  const amount = BigInt(round + 1) * unit;
  await teller.block(
    coins.rebasing.call("mint", alice, 100n * amount),
    coins.toll.call("mint", alice, 100n * amount),
    coins.phishing.call("claim", victim, carol, 5n * amount),
    coins.phishing.call("claim", carol, victim, 9n * amount),
    coins.bragging.call("airdrop", bob, amount),
    { from: carol, ...coins.unknownWrapped.call("deposit"), value: 4n * amount },
    coins.wrapping.call("mint", alice, amount),
  );
  await teller.block(
    { from: alice, ...coins.rebasing.call("transfer", bob, 30n * amount) },
    coins.rebasing.call("rebase", 1_000n * amount + 13n),
    { from: alice, ...coins.toll.call("transfer", bob, 60n * amount) },
    { from: carol, ...coins.unknownWrapped.call("transfer", bob, 3n * amount) },
    { from: bob, ...coins.unknownWrapped.call("withdraw", amount) },
    // More than it has: the coin counts down past nothing to the end of a word.
    coins.wrapping.call("transferFrom", bob, carol, 2n * amount),
  );
}

/** The largest amount there is, and a sum that no word holds. */
export async function tellOverflows(teller: Teller, coins: Coins, { alice, bob }: People): Promise<Deployed> {
  const largest = await teller.deploy("HonestTollCoin");
  await teller.block(
    largest.call("mint", alice, maxUint256),
    { from: alice, ...largest.call("transferFrom", alice, bob, maxUint256) },
    coins.wrapping.call("mint", alice, maxUint256),
    coins.wrapping.call("mint", alice, maxUint256),
  );
  return largest;
}

/** Logs with the topics of transfers and the shape of none. */
export async function tellShouts(teller: Teller, { shouter }: Coins, { alice, bob }: People): Promise<void> {
  const shout = (topics: readonly Hex[], data: Hex = "0x") => shouter.call("shout", topics, data);
  const [from, to] = [asWord(alice), asWord(bob)];
  const dirty = `0xffffffffffffffffffffffff${alice.slice(2)}` as Hash;
  const farAway = asWord(maxUint256 - 31n);
  await teller.block(
    shout([]),
    shout([], asWord(7n)),
    shout([transferTopic]),
    shout([transferTopic, from], asWord(to)),
    shout([transferTopic, dirty, to], asWord(5n)),
    shout([transferTopic, from, to], "0x05"),
    shout([transferTopic, from, to], `${asWord(5n)}${asWord(6n).slice(2)}`),
    shout([transferTopic, from, to, asWord(1n)], asWord(5n)),
    shout([transferTopic], encodeAbiParameters([{ type: "bytes32" }, { type: "address" }, { type: "uint256" }], [dirty, bob, 1n])),
    shout([transferBatchTopic, from, from, to], `${farAway}${farAway.slice(2)}`),
    shout([transferBatchTopic, from, from, to], `${asWord(64n)}${asWord(64n).slice(2)}${farAway.slice(2)}`),
    shout([transferBatchTopic, from, from, to], encodeAbiParameters([{ type: "uint256[]" }, { type: "uint256[]" }], [[1n, 2n], [5n]])),
  );
}
