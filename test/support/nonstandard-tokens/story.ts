import type { Address, Hash, Hex } from "viem";
import type { TestTransaction } from "../chain.ts";
import { type CommonStep, callFrom, commonStepsOf, type Grant } from "./common-steps.ts";
import type { TokenChain } from "./deployment.ts";
import { createRandom, type Random } from "./random.ts";
import type { Step, StepContext, TestToken } from "./token-kind.ts";

export const rounds = 5;
const blocksPerRound = 30;
const randomCallsPerBlock = 16;
/** Gas limits: the first mints of all tokens must fit into one block. */
const commonStepGas = 300_000n;
const specificStepGas = 1_000_000n;

/** Successes and failures, counted by token kind and step. */
export type StepCounts = ReadonlyMap<string, StepCount>;

interface StepCount {
  /** Whether only this kind has the step. */
  readonly isSpecific: boolean;
  readonly succeeded: number;
  readonly failed: number;
}

/** Random calls to the tokens, in rounds. */
export interface TokenStory {
  /** Runs the next round and returns its last block. */
  runRound(): Promise<number>;
  readonly counts: StepCounts;
}

/** A call in a block. */
interface PlannedCall {
  readonly name: string;
  readonly isSpecific: boolean;
  readonly transaction: TestTransaction;
}

/** A token and the steps that may be chosen for it. */
interface StepChoices {
  readonly token: TestToken;
  readonly choices: readonly CommonStep[];
}

/** Creates the story for a chain. The same seed creates the same transactions. */
export const createTokenStory = (tokenChain: TokenChain, seed: number): TokenStory => {
  const random = createRandom(seed);
  const counts = new Map<string, StepCount>();
  const grants: Grant[] = [];
  let round = 0;
  const currentContext = (): StepContext => ({
    random,
    accounts: tokenChain.accounts,
    round,
    timestamp: tokenChain.timestamp(),
    reentrantReceiver: tokenChain.reentrantReceiver,
    anyAccount: () => random.pick(tokenChain.accounts),
    amount: () => BigInt(1 + random.below(10_000)) * 10n ** 14n,
    read: tokenChain.read,
    tokenOf: (name) => {
      const token = tokenChain.tokens.find(({ kind }) => kind.name === name);
      if (token === undefined) throw new Error(`Unknown token kind ${name}`);
      return token;
    },
    sign: tokenChain.sign,
  });
  const candidates: readonly StepChoices[] = tokenChain.tokens
    // The implementations behind the proxy are not used directly.
    .filter(({ kind }) => !kind.name.startsWith("Upgrade"))
    .map((token) => ({ token, choices: commonStepsOf(token) }))
    .filter(({ choices }) => choices.length > 0);
  // Tokens are used equally often: the next one is chosen from those not yet used in this pass.
  let unused: readonly StepChoices[] = [];
  const planRandom = async (): Promise<PlannedCall> => {
    if (unused.length === 0) unused = candidates;
    const chosen = random.pick(unused);
    unused = unused.filter((choice) => choice !== chosen);
    const { token, choices } = chosen;
    const { name, step } = random.pick(choices);
    return { name: `${token.kind.name}: ${name}`, isSpecific: false, transaction: await step(grants)(token, currentContext()) };
  };
  const mineBlock = async (plan: readonly PlannedCall[]): Promise<void> => {
    const hashes = await tokenChain.chain.send(...plan.map(({ transaction }) => ({ gas: commonStepGas, ...transaction })));
    await tokenChain.mine();
    const statuses = await statusesOf(tokenChain, hashes);
    plan.forEach(({ name, isSpecific }, position) => {
      const count = counts.get(name) ?? { isSpecific, succeeded: 0, failed: 0 };
      counts.set(name, statuses[position] ? { ...count, succeeded: count.succeeded + 1 } : { ...count, failed: count.failed + 1 });
    });
  };
  return {
    counts,
    runRound: async () => {
      const specificSteps = scheduleSpecificSteps(tokenChain.tokens, round, random);
      for (let block = 0; block < blocksPerRound; block += 1) {
        const plan: PlannedCall[] = [];
        for (const { token, name, step } of specificSteps.get(block) ?? []) {
          const transaction = { gas: specificStepGas, ...(await step(token, currentContext())) };
          plan.push({ name: `${token.kind.name}: ${name}`, isSpecific: true, transaction });
        }
        // The first blocks consist of mints, because no account has a balance yet.
        const receiver = round === 0 ? tokenChain.accounts[block] : undefined;
        const randomCalls = receiver === undefined ? randomCallsPerBlock : 0;
        if (receiver !== undefined) plan.push(...planMints(candidates, receiver));
        for (let count = 0; count < randomCalls; count += 1) plan.push(await planRandom());
        await mineBlock(plan);
      }
      round += 1;
      return tokenChain.chain.head();
    },
  };
};

/** Plans a mint of every mintable token. */
const planMints = (candidates: readonly StepChoices[], receiver: Address): PlannedCall[] =>
  candidates
    .filter(({ choices }) => choices.some(({ name }) => name === "mint"))
    .map(({ token }) => ({
      name: `${token.kind.name}: mint`,
      isSpecific: false,
      transaction: callFrom(receiver, token, "mint", receiver, 10n ** 20n),
    }));

/** Schedules each token kind's specific steps at random blocks, in order. */
const scheduleSpecificSteps = (tokens: readonly TestToken[], round: number, random: Random) => {
  const schedule = new Map<number, { readonly token: TestToken; readonly name: string; readonly step: Step }[]>();
  for (const token of tokens) {
    const { steps = {}, rounds: chosen } = token.kind;
    if (chosen !== undefined && !chosen.includes(round)) continue;
    // Specific steps start after the first mints.
    const first = round === 0 ? 10 : 0;
    const blocks = Object.keys(steps)
      .map(() => first + random.below(blocksPerRound - first))
      .sort((left, right) => left - right);
    for (const [position, [name, step]] of Object.entries(steps).entries()) {
      const block = blocks[position] as number;
      schedule.set(block, [...(schedule.get(block) ?? []), { token, name, step }]);
    }
  }
  return schedule;
};

/** Returns whether each transaction succeeded. @throws {Error} if one was not mined. */
const statusesOf = async ({ chain }: TokenChain, hashes: readonly Hash[]): Promise<boolean[]> => {
  const receipts = await chain.batch<{ readonly status: Hex } | null>(
    hashes.map((hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })),
  );
  return receipts.map((receipt, position) => {
    if (receipt === null) throw new Error(`Transaction ${position} of the block was not mined`);
    return receipt.status === "0x1";
  });
};
