import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem";
import { callContracts } from "../chain/call-contracts.ts";
import { temporaryErrorOf, verifyNodeRunsCalls } from "../chain/control-call.ts";
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

/** Max calls of one aggregate, within the gas that nodes allow for a call. */
const maxAggregate = 90;

/** A call and the position of its outcome. */
interface IndexedCall {
  readonly call: ContractCall;
  readonly position: number;
}

/**
 * Performs many read-only calls through the multicall contract where the chain has it, else as separate calls in batches. An aggregate calls one contract only:
 * inside it calls may change the state, and a contract that moved another token would distort the later results of that token.
 * A call that failed inside an aggregate is repeated alone, because the others may have used up the shared gas.
 * An outcome has a temporary error only if the node runs other calls, so that the contract is its cause.
 * @throws {RpcError} the node's error, when it cannot run calls at the moment.
 */
export const callMany = async (
  source: Pick<Source, "calls" | "head">,
  multicall: Address,
  calls: readonly ContractCall[],
  height: number,
): Promise<CallOutcome[]> => {
  const byContract = groupBy(
    calls.map((call, position): IndexedCall => ({ call, position })),
    ({ call }) => call.to,
  );
  const outcomes: (CallOutcome | null)[] = calls.map(() => null);
  const groups = [...byContract.values()].flatMap((group) => (group.length < 2 ? [] : portionsOf(group)));
  const aggregates =
    groups.length === 0
      ? []
      : await source.calls(
          groups.map((group) => ({ to: multicall, data: aggregateOf(group) })),
          height,
        );
  for (const [index, group] of groups.entries()) {
    const results = resultsOf(aggregates[index], group.length);
    for (const [place, { position }] of group.entries()) outcomes[position] = results[place] ?? null;
  }
  const open = calls.flatMap((call, position) => (outcomes[position] === null ? [{ call, position }] : []));
  const results = await callContracts(
    source,
    open.map(({ call }) => call),
    height,
  );
  if (results.some((outcome) => temporaryErrorOf(outcome) !== undefined)) await verifyNodeRunsCalls(source);
  for (const [index, { position }] of open.entries()) outcomes[position] = results[index] ?? null;
  return outcomes.map((outcome) => outcome ?? { ok: false, reverted: false });
};

const portionsOf = (group: readonly IndexedCall[]): IndexedCall[][] =>
  Array.from({ length: Math.ceil(group.length / maxAggregate) }, (_, index) =>
    group.slice(index * maxAggregate, (index + 1) * maxAggregate),
  );

const aggregateOf = (group: readonly IndexedCall[]): Hex => {
  const args = [group.map(({ call: { to, data } }) => ({ target: to, allowFailure: true, callData: data }))] as const;
  return encodeFunctionData({ abi, functionName: "aggregate3", args });
};

/** The results of an aggregate's calls, null for one that failed in it; empty where the aggregate itself failed. */
const resultsOf = (outcome: CallOutcome | undefined, count: number): (CallOutcome | null)[] => {
  // An address without code returns no data.
  if (outcome === undefined || !outcome.ok || outcome.data === "0x") return [];
  try {
    const results = decodeFunctionResult({ abi, functionName: "aggregate3", data: outcome.data });
    if (results.length !== count) return [];
    return results.map(({ success, returnData }) => (success ? { ok: true, data: returnData } : null));
  } catch {
    // Another contract is deployed at that address.
    return [];
  }
};
