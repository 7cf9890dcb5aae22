import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import { callContracts } from "../chain/call-contracts.ts";
import { transientErrorOf, verifyNodeRunsCalls } from "../chain/control-call.ts";
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

/** Max calls per aggregate, so that it stays within the gas that nodes allow for a call. */
const maxAggregate = 90;

/** A call and its outcome's index. */
interface IndexedCall {
  readonly call: ContractCall;
  readonly position: number;
}

/**
 * Performs many read-only calls through the multicall contract if the chain has it, otherwise as separate calls in batches. An aggregate calls only
 * one contract: calls inside it may change the state, so a contract that moves a different token would distort the later results of that token. A
 * call that failed inside an aggregate is repeated alone, because the other calls may have used up the shared gas. An outcome has a temporary error only
 * if the node runs other calls, which means that the contract is the cause.
 * @throws {RpcError} if the node currently cannot run calls.
 */
export const callMany = async (
  source: Pick<Source, "runCalls" | "head">,
  multicallAddress: Address,
  calls: readonly ContractCall[],
  height: number,
): Promise<CallOutcome[]> => {
  const byContract = groupBy(
    calls.map((call, position): IndexedCall => ({ call, position })),
    ({ call }) => call.to,
  );
  const outcomes: (CallOutcome | null)[] = calls.map(() => null);
  const groups = [...byContract.values()].flatMap((group) => (group.length < 2 ? [] : chunksOf(group)));
  const aggregates =
    groups.length === 0
      ? []
      : await source.runCalls(
          groups.map((group) => ({ to: multicallAddress, data: aggregateOf(group) })),
          height,
        );
  for (const [index, group] of groups.entries()) {
    const results = resultsOf(aggregates[index], group.length);
    for (const [callIndex, { position }] of group.entries()) outcomes[position] = results[callIndex] ?? null;
  }
  const pending = calls.flatMap((call, position) => (outcomes[position] === null ? [{ call, position }] : []));
  const results = await callContracts(
    source,
    pending.map(({ call }) => call),
    height,
  );
  if (results.some((outcome) => transientErrorOf(outcome) !== undefined)) await verifyNodeRunsCalls(source);
  for (const [index, { position }] of pending.entries()) outcomes[position] = results[index] ?? null;
  return outcomes.map((outcome) => outcome ?? { ok: false, reverted: false });
};

const chunksOf = (group: readonly IndexedCall[]): IndexedCall[][] =>
  Array.from({ length: Math.ceil(group.length / maxAggregate) }, (_, index) =>
    group.slice(index * maxAggregate, (index + 1) * maxAggregate),
  );

const aggregateOf = (group: readonly IndexedCall[]): Hex => {
  const args = [group.map(({ call: { to, data } }) => ({ target: to, allowFailure: true, callData: data }))] as const;
  return encodeFunctionData({ abi, functionName: "aggregate3", args });
};

/** The results of an aggregate's calls, null for a call that failed in it; empty if the aggregate itself failed. */
const resultsOf = (outcome: CallOutcome | undefined, count: number): (CallOutcome | null)[] => {
  // An address without code returns no data.
  if (outcome === undefined || !outcome.ok || outcome.data === "0x") return [];
  try {
    const results = decodeFunctionResult({ abi, functionName: "aggregate3", data: outcome.data });
    if (results.length !== count) return [];
    return results.map(({ success, returnData }) => (success ? { ok: true, data: returnData } : null));
  } catch {
    // A different contract is deployed at that address.
    return [];
  }
};
