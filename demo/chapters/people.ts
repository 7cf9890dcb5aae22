import { stringToHex } from "viem";
import { type Address, nativeTokenAddress } from "../../runtime/lib/hex.ts";
import { addressOf, signer, treasury } from "../story/genesis.ts";
import type { Random } from "../story/random.ts";
import type { Call, ChapterContext, Scene } from "../story/types.ts";

const ether = 10n ** 18n;
/** Kept back from everybody's spending money, for gas. */
const gasReserve = 2n * ether;
const lastJoiningDay = 40;

/** Who acts in the story. */
export interface People {
  readonly treasury: Address;
  readonly deployer: Address;
  readonly trader: Address;
  readonly collector: Address;
  readonly newcomer: Address;
  readonly marketMaker: Address;
  /** Makes the markets of the exchanges that came later. */
  readonly keeper: Address;
  /** Tells the price feeds their answers. */
  readonly reporter: Address;
  /** Made the garden's plants, sells some and earns royalties; the only one who can sign. */
  readonly gardener: Address;
  /** Two who trade with nobody but each other. */
  readonly washTraders: readonly [Address, Address];
  /** Everybody else, in the order in which they join. */
  readonly crowd: readonly Address[];
  /** Those of the crowd who deal in tokens from the start. */
  readonly dealers: readonly Address[];
  /** The crowd as far as it has joined before this day. */
  active(day: number): readonly Address[];
}

/** A holder of the token among the candidates, or undefined when chance finds none soon. */
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

/** Money from the treasury to everybody who is there at the start, and native payments of all kinds on each day. */
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
    // Nothing at all, to oneself, with a message: each is an ordinary transaction, and each has surprised an indexer.
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
