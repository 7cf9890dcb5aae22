import type { Abi } from "viem";
import type { Address } from "../../runtime/lib/hex.ts";
import type { Artifact } from "../contracts/artifact.ts";
import { encode, encodeApprove, encodeTransfer } from "../story/encode.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";
import { type Accounts, findHolder } from "./accounts.ts";

/** An ERC-20 token of the story and its deployment. */
interface StoryToken {
  readonly address: Address;
  readonly abi: Abi;
  /** Base units of one whole token. */
  readonly unit: bigint;
}

/** The ERC-20 tokens, each a different case for an indexer. */
export interface Tokens {
  /** Has six decimals. */
  readonly usd: StoryToken;
  readonly gold: StoryToken;
  readonly salt: StoryToken;
  /** Its name and symbol are bytes32. */
  readonly old: StoryToken;
  /** Burns a part of each transfer. */
  readonly toll: StoryToken;
  readonly all: readonly StoryToken[];
  readonly airdrop: Address;
}

const receiversPerDrop = 30;

const deployTokens = async (context: StoryContext, accounts: Accounts): Promise<Tokens> => {
  const { artifacts } = context;
  const issue = async (artifact: Artifact, decimals: number, parameters: readonly unknown[]): Promise<StoryToken> => ({
    address: await context.deploy(accounts.deployer, artifact, parameters),
    abi: artifact.abi,
    unit: 10n ** BigInt(decimals),
  });
  const usd = await issue(artifacts.harborDollar, 6, []);
  const gold = await issue(artifacts.presetToken, 18, ["Quarry Gold", "GOLD"]);
  const salt = await issue(artifacts.presetToken, 18, ["Sea Salt", "SALT"]);
  const old = await issue(artifacts.oldCoin, 18, [10_000_000n * 10n ** 18n]);
  const toll = await issue(artifacts.tollCoin, 8, [50_000_000n * 10n ** 8n]);
  const airdrop = await context.deploy(accounts.deployer, artifacts.airdrop);
  return { usd, gold, salt, old, toll, all: [usd, gold, salt, old, toll], airdrop };
};

const distribute = async (context: StoryContext, accounts: Accounts, tokens: Tokens): Promise<void> => {
  const { deployer, marketMaker, trader, collector, dealers } = accounts;
  const mint = (token: StoryToken, to: Address, whole: bigint): Call => {
    context.holdings.receive(token.address, to, whole * token.unit);
    return { from: deployer, to: token.address, data: encode(token.abi, "mint", [to, whole * token.unit]) };
  };
  await context.mine([
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
    // 2 % less than sent: a lower bound for the toll coin, whose transfer fee is 1 %.
    for (const receiver of receivers) context.holdings.receive(token.address, receiver, (each * token.unit * 98n) / 100n);
    const data = encode(context.artifacts.airdrop.abi, "drop", [token.address, receivers, each * token.unit]);
    return { from: deployer, to: tokens.airdrop, data, gas: 100_000 + receivers.length * 60_000 };
  };
  const receivers = [trader, trader, trader, trader, collector, ...dealers];
  const groups = Array.from({ length: Math.ceil(receivers.length / receiversPerDrop) }, (_, index) =>
    receivers.slice(index * receiversPerDrop, (index + 1) * receiversPerDrop),
  );
  const amounts = [15_000n, 180n, 50_000n, 900n, 12_000n];
  await context.mine(tokens.all.flatMap((token, index) => groups.map((group) => drop(token, group, amounts[index] ?? 1n))));
};

/** Deploys and distributes the tokens. Each day has transfers (some of zero), mints and burns. */
export const setUpTokens = async (context: StoryContext, accounts: Accounts): Promise<{ tokens: Tokens; dailyCalls: DailyCalls }> => {
  const tokens = await deployTokens(context, accounts);
  await distribute(context, accounts, tokens);
  const random = context.createRandom("tokens");
  const { holdings } = context;

  const send = (token: StoryToken, from: Address, to: Address): Call => {
    const isEmpty = random.oneIn(20);
    const amount = isEmpty ? 0n : holdings.spend(token.address, from, random, [5, 60]);
    // 2 % less than sent: a lower bound for the toll coin, whose transfer fee is 1 %.
    holdings.receive(token.address, to, (amount * 98n) / 100n);
    return { from, to: token.address, data: encodeTransfer(to, amount), gas: 120_000 };
  };
  const transfer = (day: number): Call[] => {
    const token = random.pick(tokens.all);
    const active = accounts.activeUsers(day);
    const from = random.oneIn(40) ? accounts.trader : findHolder(context, token.address, active, random);
    if (from === undefined) return [];
    const kind = random.below(40);
    return [send(token, from, kind === 0 ? accounts.trader : kind === 1 ? from : random.pick(active))];
  };
  const mint = (day: number): Call => {
    const token = random.pick([tokens.usd, tokens.gold, tokens.salt]);
    const to = random.pick(accounts.activeUsers(day));
    const amount = BigInt(random.between(10, 400)) * token.unit;
    holdings.receive(token.address, to, amount);
    return { from: accounts.deployer, to: token.address, data: encode(token.abi, "mint", [to, amount]) };
  };
  const burn = (day: number): Call[] => {
    const token = random.pick([tokens.usd, tokens.gold, tokens.salt]);
    const from = findHolder(context, token.address, accounts.activeUsers(day), random);
    if (from === undefined) return [];
    return [{ from, to: token.address, data: encode(token.abi, "burn", [holdings.spend(token.address, from, random, [1, 20])]) }];
  };
  const dailyCalls: DailyCalls = (day) => [
    send(random.pick(tokens.all), accounts.trader, random.pick(accounts.activeUsers(day))),
    ...Array.from({ length: context.scaled(88) }, () => transfer(day)).flat(),
    ...Array.from({ length: context.scaled(6) }, () => mint(day)),
    ...Array.from({ length: context.scaled(5) }, () => burn(day)).flat(),
  ];
  return { tokens, dailyCalls };
};
