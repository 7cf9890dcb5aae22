import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import type { CallOutcome, Source } from "../chain/source.ts";
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

/**
 * Many read-only calls through the multicall contract where the chain has it, else one by one in batches. A call that failed inside an aggregate is
 * asked again by itself: another one may have eaten the gas that all share.
 */
export const callMany = async (
  source: Pick<Source, "calls">,
  multicall: Address,
  calls: readonly ContractCall[],
  height: number,
): Promise<CallOutcome[]> => {
  const outcomes: (CallOutcome | null)[] = [];
  for (let start = 0; start < calls.length; start += largestAggregate) {
    outcomes.push(...(await aggregate(source, multicall, calls.slice(start, start + largestAggregate), height)));
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

/** Null where the aggregate gives no answer that can be kept. */
const aggregate = async (
  source: Pick<Source, "calls">,
  multicall: Address,
  calls: readonly ContractCall[],
  height: number,
): Promise<(CallOutcome | null)[]> => {
  const none = calls.map(() => null);
  if (calls.length < 2) return none;
  const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))] as const;
  const [outcome] = await source.calls([{ to: multicall, data: encodeFunctionData({ abi, functionName: "aggregate3", args }) }], height);
  // An address without code answers with nothing.
  if (outcome === undefined || !outcome.ok || outcome.data === "0x") return none;
  try {
    const results = decodeFunctionResult({ abi, functionName: "aggregate3", data: outcome.data });
    if (results.length !== calls.length) return none;
    return results.map(({ success, returnData }) => (success ? { ok: true, data: returnData } : null));
  } catch {
    // Some other contract stands at that address.
    return none;
  }
};
