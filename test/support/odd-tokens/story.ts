import type { Address, Hash, Hex } from "viem";
import type { TestTransaction } from "../chain.ts";
import type { OddStage } from "./deployment.ts";
import { by, type EverydayStep, everydayStepsOf, type Grant } from "./ordinary-actions.ts";
import { createRandom, type Random } from "./random.ts";
import type { OddToken, Stage, Step } from "./token-kind.ts";

export const acts = 5;
const blocksPerAct = 30;
const randomCallsPerBlock = 16;
/** Gas limits, of which a block must have enough for the first mints of all tokens. */
const everydayGas = 300_000n;
const ownStepGas = 1_000_000n;

/** How often each step of each kind succeeded and failed. */
export type Deeds = ReadonlyMap<string, Deed>;

interface Deed {
  /** Only this kind has the step. */
  readonly isOwn: boolean;
  readonly succeeded: number;
  readonly failed: number;
}

/** A story of random use, told act by act. */
export interface OddStory {
  /** Tells the next act and returns its last block. */
  tellAct(): Promise<number>;
  readonly deeds: Deeds;
}

/** A call that is sent with others in one block. */
interface Planned {
  readonly name: string;
  readonly isOwn: boolean;
  readonly transaction: TestTransaction;
}

/** A token and what may be chosen for it. */
interface Usual {
  readonly token: OddToken;
  readonly choices: readonly EverydayStep[];
}

/** Creates the story on a stage. The same seed makes the same transactions. */
export const createOddStory = (on: OddStage, seed: number): OddStory => {
  const random = createRandom(seed);
  const deeds = new Map<string, Deed>();
  const grants: Grant[] = [];
  let act = 0;
  const stageNow = (): Stage => ({
    random,
    people: on.people,
    act,
    timestamp: on.timestamp(),
    reentering: on.reentering,
    somebody: () => random.of(on.people),
    amount: () => BigInt(1 + random.below(10_000)) * 10n ** 14n,
    read: on.read,
    tokenOf: (name) => {
      const token = on.tokens.find(({ kind }) => kind.name === name);
      if (token === undefined) throw new Error(`There is no kind ${name}.`);
      return token;
    },
    sign: on.sign,
  });
  const defaultValue: readonly Usual[] = on.tokens
    // Code behind a proxy is nobody's token.
    .filter(({ kind }) => !kind.name.startsWith("Upgrade"))
    .map((token) => ({ token, choices: everydayStepsOf(token) }))
    .filter(({ choices }) => choices.length > 0);
  // Each is used as often as the others: the next one is chosen among those that were not used since all were.
  let unused: readonly Usual[] = [];
  const planRandom = async (): Promise<Planned> => {
    if (unused.length === 0) unused = defaultValue;
    const chosen = random.of(unused);
    unused = unused.filter((one) => one !== chosen);
    const { token, choices } = chosen;
    const { name, step } = random.of(choices);
    return { name: `${token.kind.name}: ${name}`, isOwn: false, transaction: await step(grants)(token, stageNow()) };
  };
  const tellBlock = async (plan: readonly Planned[]): Promise<void> => {
    const hashes = await on.chain.send(...plan.map(({ transaction }) => ({ gas: everydayGas, ...transaction })));
    await on.mine();
    const statuses = await statusesOf(on, hashes);
    plan.forEach(({ name, isOwn }, position) => {
      const deed = deeds.get(name) ?? { isOwn, succeeded: 0, failed: 0 };
      deeds.set(name, statuses[position] ? { ...deed, succeeded: deed.succeeded + 1 } : { ...deed, failed: deed.failed + 1 });
    });
  };
  return {
    deeds,
    tellAct: async () => {
      const own = scheduleOwnSteps(on.tokens, act, random);
      for (let block = 0; block < blocksPerAct; block += 1) {
        const plan: Planned[] = [];
        for (const { token, name, step } of own.get(block) ?? []) {
          const transaction = { gas: ownStepGas, ...(await step(token, stageNow())) };
          plan.push({ name: `${token.kind.name}: ${name}`, isOwn: true, transaction });
        }
        // At the beginning nobody has anything: the first blocks are mints alone.
        const receiver = act === 0 ? on.people[block] : undefined;
        const others = receiver === undefined ? randomCallsPerBlock : 0;
        if (receiver !== undefined) plan.push(...planMints(defaultValue, receiver));
        for (let count = 0; count < others; count += 1) plan.push(await planRandom());
        await tellBlock(plan);
      }
      act += 1;
      return on.chain.head();
    },
  };
};

/** What all that can be minted is used for first. */
const planMints = (defaultValue: readonly Usual[], receiver: Address): Planned[] =>
  defaultValue
    .filter(({ choices }) => choices.some(({ name }) => name === "mint"))
    .map(({ token }) => ({
      name: `${token.kind.name}: mint`,
      isOwn: false,
      transaction: by(receiver, token, "mint", receiver, 10n ** 20n),
    }));

/** Each kind's own steps, in their order, at blocks that the lot decides. */
const scheduleOwnSteps = (tokens: readonly OddToken[], act: number, random: Random) => {
  const schedule = new Map<number, { readonly token: OddToken; readonly name: string; readonly step: Step }[]>();
  for (const token of tokens) {
    const { steps = {}, acts: chosen } = token.kind;
    if (chosen !== undefined && !chosen.includes(act)) continue;
    // After the first mints, and in the order in which the kind names them.
    const first = act === 0 ? 10 : 0;
    const blocks = Object.keys(steps)
      .map(() => first + random.below(blocksPerAct - first))
      .sort((left, right) => left - right);
    for (const [position, [name, step]] of Object.entries(steps).entries()) {
      const block = blocks[position] as number;
      schedule.set(block, [...(schedule.get(block) ?? []), { token, name, step }]);
    }
  }
  return schedule;
};

/** Whether transactions succeeded. @throws where one was not mined */
const statusesOf = async ({ chain }: OddStage, hashes: readonly Hash[]): Promise<boolean[]> => {
  const receipts = await chain.batch<{ readonly status: Hex } | null>(
    hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
  );
  return receipts.map((receipt, position) => {
    if (receipt === null) throw new Error(`Transaction ${position} of a block was not mined.`);
    return receipt.status === "0x1";
  });
};
