import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import type { CallOutcome, Source } from "../chain/source.ts";
import { groupBy } from "../lib/group-by.ts";
import type { Address, Hex } from "../lib/hex.ts";

export interface ContractCall {
  readonly to: Address;
  readonly data: Hex;
}

const abi = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
]);

/** Calls in one aggregate: few enough for the gas that nodes allow a call. */
const largestAggregate = 90;

/** A call, and where its outcome belongs. */
interface Placed {
  readonly call: ContractCall;
  readonly position: number;
}

/**
 * Many read-only calls through the multicall contract where the chain has it, else one by one in batches. An aggregate calls one contract alone: inside it
 * calls may change the state, and a contract that moved a token of others would make that token's own answers, after it, look like lies.
 * A call that failed inside an aggregate is asked again by itself: another one may have eaten the gas that all share.
 */
export const callMany = async (
  source: Pick<Source, "calls">,
  multicall: Address,
  calls: readonly ContractCall[],
  height: number,
): Promise<CallOutcome[]> => {
  const byContract = groupBy(
    calls.map((call, position): Placed => ({ call, position })),
    ({ call }) => call.to,
  );
  const outcomes: (CallOutcome | null)[] = calls.map(() => null);
  const groups = [...byContract.values()].flatMap((group) => (group.length < 2 ? [] : portionsOf(group)));
  const aggregates = await source.calls(
    groups.map((group) => ({ to: multicall, data: aggregateOf(group) })),
    height,
  );
  for (const [index, group] of groups.entries()) {
    const results = resultsOf(aggregates[index], group.length);
    for (const [place, { position }] of group.entries()) outcomes[position] = results[place] ?? null;
  }
  const open = calls.flatMap((call, position) => (outcomes[position] === null ? [{ call, position }] : []));
  const answers = await source.calls(
    open.map(({ call }) => call),
    height,
  );
  open.forEach(({ position }, index) => {
    outcomes[position] = answers[index] ?? null;
  });
  return outcomes.map((outcome) => outcome ?? { ok: false, reverted: false });
};

const portionsOf = (group: readonly Placed[]): Placed[][] =>
  Array.from({ length: Math.ceil(group.length / largestAggregate) }, (_, index) =>
    group.slice(index * largestAggregate, (index + 1) * largestAggregate),
  );

const aggregateOf = (group: readonly Placed[]): Hex => {
  const args = [group.map(({ call: { to, data } }) => ({ target: to, allowFailure: true, callData: data }))] as const;
  return encodeFunctionData({ abi, functionName: "aggregate3", args });
};

/** Empty where the aggregate gives no answer that can be kept; null for a call that failed in it. */
const resultsOf = (outcome: CallOutcome | undefined, count: number): (CallOutcome | null)[] => {
  // An address without code answers with nothing.
  if (outcome === undefined || !outcome.ok || outcome.data === "0x") return [];
  try {
    const results = decodeFunctionResult({ abi, functionName: "aggregate3", data: outcome.data });
    if (results.length !== count) return [];
    return results.map(({ success, returnData }) => (success ? { ok: true, data: returnData } : null));
  } catch {
    // Some other contract stands at that address.
    return [];
  }
};
