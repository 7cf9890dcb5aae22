import { type Address, maxUint256, zeroAddress } from "viem";
import { call } from "../chain.ts";
import type { OddToken, Stage, Step } from "./token-kind.ts";

/** An allowance that was given in the story; that it may have no event makes no difference. */
export interface Grant {
  readonly token: OddToken;
  readonly owner: Address;
  readonly spender: Address;
}

/** A step that every token with a function can take; the weight is how often it is chosen. */
export interface EverydayStep {
  readonly name: string;
  readonly needs: string;
  readonly weight: number;
  readonly step: (grants: Grant[]) => Step;
}

/** A call of a token by somebody. */
export const by = (from: Address, { artifact, address }: OddToken, functionName: string, ...args: readonly unknown[]) => ({
  from,
  ...call(artifact, address, functionName, args),
});

/** What every token with these functions is used for; the weight is how often a step is chosen. */
const everyday: readonly EverydayStep[] = [
  {
    name: "mint",
    needs: "mint",
    weight: 2,
    step: () => (token, stage) => by(stage.somebody(), token, "mint", stage.somebody(), 100n * stage.amount()),
  },
  {
    name: "transfer",
    needs: "transfer",
    weight: 5,
    step: () => (token, stage) => by(stage.somebody(), token, "transfer", stage.somebody(), stage.amount()),
  },
  {
    name: "transfer to oneself",
    needs: "transfer",
    weight: 1,
    step: () => (token, stage) => {
      const self = stage.somebody();
      return by(self, token, "transfer", self, stage.amount());
    },
  },
  {
    name: "transfer to zero",
    needs: "transfer",
    weight: 1,
    step: () => (token, stage) => by(stage.somebody(), token, "transfer", zeroAddress, stage.amount()),
  },
  {
    name: "transfer to the token",
    needs: "transfer",
    weight: 1,
    step: () => (token, stage) => by(stage.somebody(), token, "transfer", token.address, stage.amount()),
  },
  {
    name: "transfer of nothing",
    needs: "transfer",
    weight: 1,
    step: () => (token, stage) => by(stage.somebody(), token, "transfer", stage.somebody(), 0n),
  },
  { name: "approve", needs: "approve", weight: 3, step: (grants) => approving(grants, (stage) => 20n * stage.amount()) },
  { name: "approve without limit", needs: "approve", weight: 1, step: (grants) => approving(grants, () => maxUint256) },
  {
    name: "revoke",
    needs: "approve",
    weight: 1,
    step: (grants) => (token, stage) => {
      const { owner, spender } = chooseGrant(grants, token, stage);
      return by(owner, token, "approve", spender, 0n);
    },
  },
  {
    name: "transferFrom",
    needs: "transferFrom",
    weight: 4,
    step: (grants) => (token, stage) => {
      const { owner, spender } = chooseGrant(grants, token, stage);
      return by(spender, token, "transferFrom", owner, stage.somebody(), stage.amount());
    },
  },
  { name: "burn", needs: "burn", weight: 1, step: () => (token, stage) => by(stage.somebody(), token, "burn", stage.amount()) },
];

const approving =
  (grants: Grant[], amount: (stage: Stage) => bigint): Step =>
  (token, stage) => {
    const [owner, spender] = [stage.somebody(), stage.somebody()];
    grants.push({ token, owner, spender });
    return by(owner, token, "approve", spender, amount(stage));
  };

/** One of the last grants of a token; anybody's where there is none. */
const chooseGrant = (grants: readonly Grant[], token: OddToken, stage: Stage): { readonly owner: Address; readonly spender: Address } => {
  const own = grants.filter((grant) => grant.token === token).slice(-4);
  return own.length === 0 ? { owner: stage.somebody(), spender: stage.somebody() } : stage.random.of(own);
};

/** The steps that a token has the functions for, each as often as it weighs. */
export const everydayStepsOf = ({ artifact: { abi } }: OddToken): EverydayStep[] => {
  const functions = new Set(abi.flatMap((entry) => (entry.type === "function" ? [entry.name] : [])));
  return everyday.filter(({ needs }) => functions.has(needs)).flatMap((one) => Array.from({ length: one.weight }, () => one));
};
