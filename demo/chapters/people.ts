import { stringToHex } from "viem";
import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { addressOf, signer, treasury } from "../story/genesis.ts";
import type { Random } from "../story/random.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";

const ether = 10n ** 18n;
/** Reserved for gas in every account. */
const gasReserve = 2n * ether;
const lastJoiningDay = 40;

/** The accounts of the story. */
export interface People {
  readonly treasury: Address;
  readonly deployer: Address;
  readonly trader: Address;
  readonly collector: Address;
  readonly newcomer: Address;
  readonly marketMaker: Address;
  /** The market maker of the later exchanges. */
  readonly keeper: Address;
  /** Submits the answers of the price feeds. */
  readonly reporter: Address;
  /** Mints the garden's plants, sells some and earns royalties; the only account that can sign. */
  readonly gardener: Address;
  /** Two accounts that trade only with each other. */
  readonly washTraders: readonly [Address, Address];
  /** All other accounts, in the order in which they join. */
  readonly crowd: readonly Address[];
  /** The accounts of the crowd that trade tokens from the start. */
  readonly dealers: readonly Address[];
  /** The crowd as far as it has joined before this day. */
  active(day: number): readonly Address[];
}

/** A holder of the token among the candidates, or undefined if a few random tries find none. */
export const findHolder = (stage: ChapterContext, token: Address, candidates: readonly Address[], random: Random): Address | undefined => {
  for (let attempt = 0; attempt < 20; attempt++) {
    const candidate = random.pick(candidates);
    if (stage.holdings.of(token, candidate) > 0n) return candidate;
  }
  return undefined;
};

const castPeople = (stage: ChapterContext): People => {
  const crowd = Array.from({ length: Math.max(24, stage.scaled(420)) }, (_, index) => addressOf(`crowd ${index}`));
  const founders = Math.max(16, stage.scaled(110));
  return {
    treasury,
    deployer: addressOf("deployer"),
    trader: addressOf("trader"),
    collector: addressOf("collector"),
    newcomer: addressOf("newcomer"),
    marketMaker: addressOf("market maker"),
    keeper: addressOf("keeper"),
    reporter: addressOf("reporter"),
    gardener: signer,
    washTraders: [addressOf("wash trader 1"), addressOf("wash trader 2")],
    crowd,
    dealers: crowd.slice(0, Math.max(12, stage.scaled(90))),
    active: (day) => crowd.slice(0, founders + Math.floor(((crowd.length - founders) * Math.min(day, lastJoiningDay)) / lastJoiningDay)),
  };
};

/** Initial funds from the treasury, and native payments of all kinds on each day. */
export const openPeople = async (stage: ChapterContext): Promise<{ people: People; scene: Scene }> => {
  const people = castPeople(stage);
  const random = stage.random("people");
  const fund = (to: Address, ethers: number): Call => {
    stage.holdings.receive(nativeTokenAddress, to, BigInt(ethers) * ether - gasReserve);
    return { from: treasury, to, value: BigInt(ethers) * ether };
  };
  const principals = [
    ...[fund(people.deployer, 500), fund(people.trader, 400), fund(people.collector, 200), fund(people.marketMaker, 4_000)],
    ...[
      fund(people.keeper, 1_400),
      fund(people.reporter, 50),
      fund(people.gardener, 100),
      ...people.washTraders.map((person) => fund(person, 10)),
    ],
  ];
  await stage.play([...principals, ...people.active(0).map((person) => fund(person, random.between(20, 90)))]);

  const pay = (day: number): Call[] => {
    const { holdings } = stage;
    const active = people.active(day);
    const from = findHolder(stage, nativeTokenAddress, active, random);
    if (from === undefined) return [];
    const kind = random.below(25);
    // Nothing at all, to oneself, with a message: ordinary transactions, each of which is an edge case for an indexer.
    if (kind === 0) return [{ from, to: random.pick(active), value: 0n }];
    if (kind === 1) return [{ from, to: from, value: ether / 100n }];
    const to = kind === 2 ? people.trader : random.pick(active);
    const value = holdings.spend(nativeTokenAddress, from, random, [2, 30]);
    holdings.receive(nativeTokenAddress, to, value);
    return kind === 3 ? [{ from, to, value, data: stringToHex(`invoice ${random.below(9_999)}`), gas: 40_000 }] : [{ from, to, value }];
  };
  const scene: Scene = (day) => {
    const joining = people.active(day + 1).slice(people.active(day).length);
    return [
      ...joining.map((person) => fund(person, random.between(5, 40))),
      ...Array.from({ length: stage.scaled(48) }, () => pay(day)).flat(),
    ];
  };
  return { people, scene };
};
