import type { CallOutcome } from "../../../../../chain/source.ts";
import type { JobContext } from "../../../../../jobs/job.ts";
import { groupBy } from "../../../../../lib/group-by.ts";
import type { Address } from "../../../../../lib/hex.ts";
import { baseReadOf } from "../../../projection/reads-base.ts";
import { standards } from "../../../projection/standards.ts";
import type { Value } from "./step-function.ts";

/** totalSupply() of EIP-20. */
export const totalSupplyCall = "0x18160ddd";

/** Heights that a node is asked about at the same time. */
const maxConcurrentHeights = 8;

/** What is read of a token after a block: the balance of an owner, or the supply where there is none. */
export interface NumberRead {
  readonly token: Address;
  readonly owner: Address | null;
  readonly block: number;
}

/** What a call returned: a number; null where the contract gives none; "no data" from an address without code; undefined where the node failed. */
export type NumberResult = Value | "no data" | undefined;

/** Data after the first word is ignored, as ABI decoders do. */
export const toNumberResult = (outcome: CallOutcome | undefined): NumberResult => {
  if (outcome === undefined) return undefined;
  if (!outcome.ok) return outcome.reverted ? null : undefined;
  if (outcome.data === "0x") return "no data";
  return outcome.data.length < 66 ? null : BigInt(outcome.data.slice(0, 66));
};

/** Reads at several heights. Each call stands alone: inside an aggregate another contract could change the answer. */
export const readNumbers = async ({ source }: Pick<JobContext, "source">, reads: readonly NumberRead[]): Promise<NumberResult[]> => {
  const byHeight = groupBy(
    reads.map((read, position) => ({ ...read, position })),
    ({ block }) => block,
  );
  const answers: NumberResult[] = reads.map(() => undefined);
  const groups = [...byHeight];
  for (let next = 0; next < groups.length; next += maxConcurrentHeights) {
    await Promise.all(
      groups.slice(next, next + maxConcurrentHeights).map(async ([height, group]) => {
        const outcomes = await source.calls(group.map(callOf), height);
        group.forEach(({ position }, index) => {
          answers[position] = toNumberResult(outcomes[index]);
        });
      }),
    );
  }
  return answers;
};

const callOf = ({ token, owner, block }: NumberRead) => {
  const read = owner === null ? null : baseReadOf({ owner, token, standard: standards.erc20, tokenId: null }, block);
  return { to: token, data: read !== null && "data" in read ? read.data : totalSupplyCall } as const;
};

/** What a supply has beyond what events add up to. An address without code that no event of a token came from has none. */
export const supplyOffsetOf = (answer: Exclude<NumberResult, undefined>, events: bigint | null): Value => {
  if (answer === "no data") return events === null || events === 0n ? 0n : null;
  return answer === null ? null : answer - (events ?? 0n);
};
