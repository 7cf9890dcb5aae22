import { stringToHex } from "viem";
import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { addressOf, gardenerAddress, treasury } from "../story/genesis.ts";
import type { Random } from "../story/random.ts";
import type { Call, DailyCalls, StoryContext } from "../story/types.ts";

const ether = 10n ** 18n;
/** The part of an account's initial funds that is reserved for gas. */
const gasReserve = 2n * ether;
const lastJoiningDay = 40;

/** The accounts of the story. */
export interface Accounts {
  readonly treasury: Address;
  readonly deployer: Address;
  readonly trader: Address;
  readonly collector: Address;
  readonly newcomer: Address;
  readonly marketMaker: Address;
  /** The market maker of the later exchanges. */
  readonly secondMarketMaker: Address;
  /** Submits the answers of the price feeds. */
  readonly reporter: Address;
  /** Sells plants of the garden and earns royalties. It has a private key, and signs permits and the listings of live blocks. */
  readonly gardener: Address;
  /** Two accounts that trade only with each other. */
  readonly washTraders: readonly [Address, Address];
  /** All other accounts in the order in which they join. */
  readonly users: readonly Address[];
  /** The users that trade tokens from the start. */
  readonly dealers: readonly Address[];
  /** The users that have joined before this day. */
  activeUsers(day: number): readonly Address[];
}

/** Returns a random holder of the token among the candidates, or undefined if 20 attempts find none. */
export const findHolder = (context: StoryContext, token: Address, candidates: readonly Address[], random: Random): Address | undefined => {
  for (let attempt = 0; attempt < 20; attempt++) {
    const candidate = random.pick(candidates);
    if (context.holdings.balanceOf(token, candidate) > 0n) return candidate;
  }
  return undefined;
};

const createAccounts = (context: StoryContext): Accounts => {
  const users = Array.from({ length: Math.max(24, context.scaled(420)) }, (_, index) => addressOf(`crowd ${index}`));
  const founderCount = Math.max(16, context.scaled(110));
  return {
    treasury,
    deployer: addressOf("deployer"),
    trader: addressOf("trader"),
    collector: addressOf("collector"),
    newcomer: addressOf("newcomer"),
    marketMaker: addressOf("market maker"),
    secondMarketMaker: addressOf("keeper"),
    reporter: addressOf("reporter"),
    gardener: gardenerAddress,
    washTraders: [addressOf("wash trader 1"), addressOf("wash trader 2")],
    users,
    dealers: users.slice(0, Math.max(12, context.scaled(90))),
    activeUsers: (day) => {
      const joinedCount = Math.floor(((users.length - founderCount) * Math.min(day, lastJoiningDay)) / lastJoiningDay);
      return users.slice(0, founderCount + joinedCount);
    },
  };
};

/** Creates the accounts and funds them from the treasury. Each day has native payments of all kinds. */
export const setUpAccounts = async (context: StoryContext): Promise<{ accounts: Accounts; dailyCalls: DailyCalls }> => {
  const accounts = createAccounts(context);
  const random = context.createRandom("people");
  const fund = (to: Address, etherAmount: number): Call => {
    context.holdings.receive(nativeTokenAddress, to, BigInt(etherAmount) * ether - gasReserve);
    return { from: treasury, to, value: BigInt(etherAmount) * ether };
  };
  const mainAccountCalls = [
    ...[fund(accounts.deployer, 500), fund(accounts.trader, 400), fund(accounts.collector, 200), fund(accounts.marketMaker, 4_000)],
    ...[
      fund(accounts.secondMarketMaker, 1_400),
      fund(accounts.reporter, 50),
      fund(accounts.gardener, 100),
      ...accounts.washTraders.map((account) => fund(account, 10)),
    ],
  ];
  await context.mine([...mainAccountCalls, ...accounts.activeUsers(0).map((account) => fund(account, random.between(20, 90)))]);

  const pay = (day: number): Call[] => {
    const { holdings } = context;
    const active = accounts.activeUsers(day);
    const from = findHolder(context, nativeTokenAddress, active, random);
    if (from === undefined) return [];
    const kind = random.below(25);
    // Zero value, a transfer to self, input data: ordinary transactions that are edge cases for an indexer.
    if (kind === 0) return [{ from, to: random.pick(active), value: 0n }];
    if (kind === 1) return [{ from, to: from, value: ether / 100n }];
    const to = kind === 2 ? accounts.trader : random.pick(active);
    const value = holdings.spend(nativeTokenAddress, from, random, [2, 30]);
    holdings.receive(nativeTokenAddress, to, value);
    return kind === 3 ? [{ from, to, value, data: stringToHex(`invoice ${random.below(9_999)}`), gas: 40_000 }] : [{ from, to, value }];
  };
  const dailyCalls: DailyCalls = (day) => {
    const joining = accounts.activeUsers(day + 1).slice(accounts.activeUsers(day).length);
    return [
      ...joining.map((account) => fund(account, random.between(5, 40))),
      ...Array.from({ length: context.scaled(48) }, () => pay(day)).flat(),
    ];
  };
  return { accounts, dailyCalls };
};
