import type { Abi } from "viem";
import type { Address } from "../../runtime/lib/hex.ts";
import type { Artifact } from "../contracts/artifact.ts";
import { encode, encodeApprove, encodeTransfer } from "../story/encode.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";
import { findHolder, type People } from "./people.ts";

/** An ERC-20 token of the story and its deployment. */
interface StoryToken {
  readonly address: Address;
  readonly abi: Abi;
  /** Base units of one whole token. */
  readonly unit: bigint;
}

/** The ERC-20 tokens; each differs from the others in what an indexer has to get right. */
export interface Tokens {
  /** Six decimals. */
  readonly usd: StoryToken;
  readonly gold: StoryToken;
  readonly salt: StoryToken;
  /** bytes32 name and symbol. */
  readonly old: StoryToken;
  /** Burns a part of each transfer. */
  readonly toll: StoryToken;
  readonly all: readonly StoryToken[];
  readonly airdrop: Address;
}

const receiversPerDrop = 30;

const deployTokens = async (stage: ChapterContext, people: People): Promise<Tokens> => {
  const { artifacts } = stage;
  const issue = async (artifact: Artifact, decimals: number, parameters: readonly unknown[]): Promise<StoryToken> => ({
    address: await stage.deploy(people.deployer, artifact, parameters),
    abi: artifact.abi,
    unit: 10n ** BigInt(decimals),
  });
  const usd = await issue(artifacts.harborDollar, 6, []);
  const gold = await issue(artifacts.presetToken, 18, ["Quarry Gold", "GOLD"]);
  const salt = await issue(artifacts.presetToken, 18, ["Sea Salt", "SALT"]);
  const old = await issue(artifacts.oldCoin, 18, [10_000_000n * 10n ** 18n]);
  const toll = await issue(artifacts.tollCoin, 8, [50_000_000n * 10n ** 8n]);
  const airdrop = await stage.deploy(people.deployer, artifacts.airdrop);
  return { usd, gold, salt, old, toll, all: [usd, gold, salt, old, toll], airdrop };
};

const distribute = async (stage: ChapterContext, people: People, tokens: Tokens): Promise<void> => {
  const { deployer, marketMaker, trader, collector, dealers } = people;
  const mint = (token: StoryToken, to: Address, whole: bigint): Call => {
    stage.holdings.receive(token.address, to, whole * token.unit);
    return { from: deployer, to: token.address, data: encode(token.abi, "mint", [to, whole * token.unit]) };
  };
  await stage.play([
    mint(tokens.usd, marketMaker, 6_000_000n),
    mint(tokens.gold, marketMaker, 60_000n),
    mint(tokens.salt, marketMaker, 4_000_000n),
    mint(tokens.usd, deployer, 20_000_000n),
    mint(tokens.gold, deployer, 200_000n),
    mint(tokens.salt, deployer, 9_000_000n),
    ...tokens.all.map(
      (token): Call => ({ from: deployer, to: token.address, data: encodeApprove(tokens.airdrop, 2n ** 256n - 1n), gas: 80_000 }),
    ),
  ]);
  const drop = (token: StoryToken, receivers: readonly Address[], each: bigint): Call => {
    // The transfer fee of a toll coin is not recorded in any book.
    for (const receiver of receivers) stage.holdings.receive(token.address, receiver, (each * token.unit * 98n) / 100n);
    const data = encode(stage.artifacts.airdrop.abi, "drop", [token.address, receivers, each * token.unit]);
    return { from: deployer, to: tokens.airdrop, data, gas: 100_000 + receivers.length * 60_000 };
  };
  const receivers = [trader, trader, trader, trader, collector, ...dealers];
  const groups = Array.from({ length: Math.ceil(receivers.length / receiversPerDrop) }, (_, index) =>
    receivers.slice(index * receiversPerDrop, (index + 1) * receiversPerDrop),
  );
  const amounts = [15_000n, 180n, 50_000n, 900n, 12_000n];
  await stage.play(tokens.all.flatMap((token, index) => groups.map((group) => drop(token, group, amounts[index] ?? 1n))));
};

/** The tokens, their first distribution, and on each day transfers (some of nothing), mints and burns. */
export const openTokens = async (stage: ChapterContext, people: People): Promise<{ tokens: Tokens; scene: Scene }> => {
  const tokens = await deployTokens(stage, people);
  await distribute(stage, people, tokens);
  const random = stage.random("tokens");
  const { holdings } = stage;

  const send = (token: StoryToken, from: Address, to: Address): Call => {
    const nothing = random.chance(20);
    const amount = nothing ? 0n : holdings.spend(token.address, from, random, [5, 60]);
    // Receivers of the toll coin get 1 % less, so their book records 2 % less.
    holdings.receive(token.address, to, (amount * 98n) / 100n);
    return { from, to: token.address, data: encodeTransfer(to, amount), gas: 120_000 };
  };
  const transfer = (day: number): Call[] => {
    const token = random.pick(tokens.all);
    const active = people.active(day);
    const from = random.chance(40) ? people.trader : findHolder(stage, token.address, active, random);
    if (from === undefined) return [];
    const kind = random.below(40);
    return [send(token, from, kind === 0 ? people.trader : kind === 1 ? from : random.pick(active))];
  };
  const mint = (day: number): Call => {
    const token = random.pick([tokens.usd, tokens.gold, tokens.salt]);
    const to = random.pick(people.active(day));
    const amount = BigInt(random.between(10, 400)) * token.unit;
    holdings.receive(token.address, to, amount);
    return { from: people.deployer, to: token.address, data: encode(token.abi, "mint", [to, amount]) };
  };
  const burn = (day: number): Call[] => {
    const token = random.pick([tokens.usd, tokens.gold, tokens.salt]);
    const from = findHolder(stage, token.address, people.active(day), random);
    if (from === undefined) return [];
    return [{ from, to: token.address, data: encode(token.abi, "burn", [holdings.spend(token.address, from, random, [1, 20])]) }];
  };
  const scene: Scene = (day) => [
    send(random.pick(tokens.all), people.trader, random.pick(people.active(day))),
    ...Array.from({ length: stage.scaled(88) }, () => transfer(day)).flat(),
    ...Array.from({ length: stage.scaled(6) }, () => mint(day)),
    ...Array.from({ length: stage.scaled(5) }, () => burn(day)).flat(),
  ];
  return { tokens, scene };
};
