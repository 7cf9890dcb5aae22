import type { CallOutcome } from "../../../../../chain/source.ts";
import type { JobContext } from "../../../../../jobs/job.ts";
import { groupBy } from "../../../../../lib/group-by.ts";
import type { Address } from "../../../../../lib/hex.ts";
import { baseReadOf } from "../../../projection/base-reads.ts";
import { standards } from "../../../projection/standards.ts";
import type { Value } from "./step-function.ts";

/** totalSupply() of EIP-20. */
export const totalSupplyCall = "0x18160ddd";

/** Max heights that are read concurrently. */
const maxConcurrentHeights = 8;

/** A call as of a block: the balance of an owner, or the total supply if there is no owner. */
export interface Uint256Read {
  readonly token: Address;
  readonly owner: Address | null;
  readonly block: number;
}

/** A number; null if the contract reverted or did not return a number; "no data" from an address without code; undefined if the node failed. */
export type Uint256Result = Value | "no data" | undefined;

/** Decodes a uint256. Data after the first word is ignored, as in other ABI decoders. */
export const decodeUint256 = (outcome: CallOutcome | undefined): Uint256Result => {
  if (outcome === undefined) return undefined;
  if (!outcome.ok) return outcome.reverted ? null : undefined;
  if (outcome.data === "0x") return "no data";
  return outcome.data.length < 66 ? null : BigInt(outcome.data.slice(0, 66));
};

/** Reads numbers at several heights, in separate calls: within a multicall, another contract could change the result. */
export const readUint256s = async ({ source }: Pick<JobContext, "source">, reads: readonly Uint256Read[]): Promise<Uint256Result[]> => {
  const byHeight = groupBy(
    reads.map((read, position) => ({ ...read, position })),
    ({ block }) => block,
  );
  const results: Uint256Result[] = reads.map(() => undefined);
  const groups = [...byHeight];
  for (let next = 0; next < groups.length; next += maxConcurrentHeights) {
    await Promise.all(
      groups.slice(next, next + maxConcurrentHeights).map(async ([height, group]) => {
        const outcomes = await source.runCalls(group.map(callOf), height);
        group.forEach(({ position }, index) => {
          results[position] = decodeUint256(outcomes[index]);
        });
      }),
    );
  }
  return results;
};

const callOf = ({ token, owner, block }: Uint256Read) => {
  const read = owner === null ? null : baseReadOf({ owner, token, standard: standards.erc20, tokenId: null }, block);
  return { to: token, data: read !== null && "data" in read ? read.data : totalSupplyCall } as const;
};

/** The total supply minus the sum of events. An address without code that emitted no token event has the offset 0. */
export const supplyOffsetOf = (result: Exclude<Uint256Result, undefined>, events: bigint | null): Value => {
  if (result === "no data") return events === null || events === 0n ? 0n : null;
  return result === null ? null : result - (events ?? 0n);
};
