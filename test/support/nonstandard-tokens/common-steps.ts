import { type Address, maxUint256, zeroAddress } from "viem";
import { encodeCall } from "../chain.ts";
import type { Step, StepContext, TestToken } from "./token-kind.ts";

/** An approval in the story, whether or not it emitted an event. */
export interface Grant {
  readonly token: TestToken;
  readonly owner: Address;
  readonly spender: Address;
}

/** A step for every token that has the needed function. */
export interface CommonStep {
  readonly name: string;
  readonly needs: string;
  readonly weight: number;
  readonly step: (grants: Grant[]) => Step;
}

/** Encodes an account's call to a token. */
export const callFrom = (from: Address, { artifact, address }: TestToken, functionName: string, ...args: readonly unknown[]) => ({
  from,
  ...encodeCall(artifact, address, functionName, args),
});

/** The common steps. The weight determines how often a step is chosen. */
const commonSteps: readonly CommonStep[] = [
  {
    name: "mint",
    needs: "mint",
    weight: 2,
    step: () => (token, context) => callFrom(context.anyAccount(), token, "mint", context.anyAccount(), 100n * context.amount()),
  },
  {
    name: "transfer",
    needs: "transfer",
    weight: 5,
    step: () => (token, context) => callFrom(context.anyAccount(), token, "transfer", context.anyAccount(), context.amount()),
  },
  {
    name: "transfer to self",
    needs: "transfer",
    weight: 1,
    step: () => (token, context) => {
      const self = context.anyAccount();
      return callFrom(self, token, "transfer", self, context.amount());
    },
  },
  {
    name: "transfer to zero",
    needs: "transfer",
    weight: 1,
    step: () => (token, context) => callFrom(context.anyAccount(), token, "transfer", zeroAddress, context.amount()),
  },
  {
    name: "transfer to the token",
    needs: "transfer",
    weight: 1,
    step: () => (token, context) => callFrom(context.anyAccount(), token, "transfer", token.address, context.amount()),
  },
  {
    name: "transfer of zero",
    needs: "transfer",
    weight: 1,
    step: () => (token, context) => callFrom(context.anyAccount(), token, "transfer", context.anyAccount(), 0n),
  },
  { name: "approve", needs: "approve", weight: 3, step: (grants) => approveStep(grants, (context) => 20n * context.amount()) },
  { name: "approve without limit", needs: "approve", weight: 1, step: (grants) => approveStep(grants, () => maxUint256) },
  {
    name: "revoke",
    needs: "approve",
    weight: 1,
    step: (grants) => (token, context) => {
      const { owner, spender } = chooseGrant(grants, token, context);
      return callFrom(owner, token, "approve", spender, 0n);
    },
  },
  {
    name: "transferFrom",
    needs: "transferFrom",
    weight: 4,
    step: (grants) => (token, context) => {
      const { owner, spender } = chooseGrant(grants, token, context);
      return callFrom(spender, token, "transferFrom", owner, context.anyAccount(), context.amount());
    },
  },
  {
    name: "burn",
    needs: "burn",
    weight: 1,
    step: () => (token, context) => callFrom(context.anyAccount(), token, "burn", context.amount()),
  },
];

const approveStep =
  (grants: Grant[], amount: (context: StepContext) => bigint): Step =>
  (token, context) => {
    const [owner, spender] = [context.anyAccount(), context.anyAccount()];
    grants.push({ token, owner, spender });
    return callFrom(owner, token, "approve", spender, amount(context));
  };

/** Picks one of a token's last grants, or two random accounts if there is none. */
const chooseGrant = (
  grants: readonly Grant[],
  token: TestToken,
  context: StepContext,
): { readonly owner: Address; readonly spender: Address } => {
  const tokenGrants = grants.filter((grant) => grant.token === token).slice(-4);
  return tokenGrants.length === 0 ? { owner: context.anyAccount(), spender: context.anyAccount() } : context.random.pick(tokenGrants);
};

/** Returns the common steps that a token supports, each repeated by its weight. */
export const commonStepsOf = ({ artifact: { abi } }: TestToken): CommonStep[] => {
  const functions = new Set(abi.flatMap((entry) => (entry.type === "function" ? [entry.name] : [])));
  return commonSteps
    .filter(({ needs }) => functions.has(needs))
    .flatMap((commonStep) => Array.from({ length: commonStep.weight }, () => commonStep));
};
