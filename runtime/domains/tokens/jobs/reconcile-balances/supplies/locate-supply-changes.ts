import { type ContractBackoff, createContractBackoff } from "../../../../../chain/contract-backoff.ts";
import type { IndexedBlock } from "../../../../../indexer/types.ts";
import type { Job, JobContext } from "../../../../../jobs/job.ts";
import { type Address, zeroAddress } from "../../../../../lib/hex.ts";
import { indexedHead, writeIfCanonical, writeIfCanonicalKeepingCache } from "../as-of-head.ts";
import type { ReconciliationSettings } from "../settings.ts";
import { compareSupplies } from "./compare-supplies.ts";
import { readUint256s, supplyOffsetOf, type Uint256Read, type Uint256Result } from "./read-uint256.ts";
import { chooseProbes, fillGap, type Gap, maxSteps, type Probes, type Reading } from "./step-function.ts";
import { eventSupplies, type SupplyGap, supplyCandidates, supplyGaps, writeSteps } from "./supply-offsets.ts";
import { writeZeroAddressSteps, type ZeroAddressGap, zeroAddressCandidates, zeroAddressGaps } from "./zero-address-balances.ts";

/** Max gaps per run, and max blocks per gap at which its value is read. */
const gapsPerRun = 4;
const probesPerGap = 24;
/** A gap with more candidates than this is first narrowed by evenly spaced blocks. */
const maxCandidates = 1_000;
/** The probes of a gap that is closed without reads: the value before it holds until its end. */
const noProbes: Probes = { blocks: [], isTruncated: false };

/** A gap and the blocks at which to read it. */
interface ProbedGap<Kind extends Gap & { readonly token: Address }> {
  readonly gap: Kind;
  readonly probes: Probes;
}

/**
 * Locates the blocks in which supplies and zero-address balances changed without a corresponding event, a few tokens per run in rotation. Requires an archive
 * node; without one, these values remain unknown for past blocks.
 */
export const createLocateSupplyChangesJob = (settings: ReconciliationSettings): Job => {
  const backoff = createContractBackoff(settings.backoffMilliseconds);
  let [lastSupply, lastZero]: [Address, Address] = [zeroAddress, zeroAddress];
  return {
    name: "locate-supply-changes",
    intervalMilliseconds: settings.readMilliseconds,
    run: async (context) => {
      const { chainId, clock, database, source } = context;
      const head = await indexedHead(context);
      if (head === null || !source.capabilities.hasArchiveState) return false;
      const skipped = backoff.contractsToSkip(clock());
      const gaps = await supplyGaps(database, chainId, lastSupply, skipped, gapsPerRun);
      lastSupply = gaps.length < gapsPerRun ? zeroAddress : (gaps.at(-1)?.token ?? zeroAddress);
      const zeroBalanceGaps = await zeroAddressGaps(database, chainId, lastZero, skipped, gapsPerRun);
      lastZero = zeroBalanceGaps.length < gapsPerRun ? zeroAddress : (zeroBalanceGaps.at(-1)?.token ?? zeroAddress);
      const hasMoreSupplies = await locateSupplySteps(context, head, gaps, backoff);
      return (await locateZeroSteps(context, head, zeroBalanceGaps, backoff)) || hasMoreSupplies;
    },
  };
};

const locateSupplySteps = async (
  context: JobContext,
  head: IndexedBlock,
  gaps: readonly SupplyGap[],
  backoff: ContractBackoff,
): Promise<boolean> => {
  if (gaps.length === 0) return false;
  const { chainId, database } = context;
  // A gap without a later reading has no end; a comparison adds such a reading.
  const openGaps = gaps.filter(({ after }) => after === undefined);
  await compareSupplies(
    context,
    openGaps.map(({ token }) => token),
    backoff,
  );
  const probed: ProbedGap<SupplyGap & Gap>[] = [];
  for (const gap of gaps) {
    if (gap.after === undefined) continue;
    const allCandidates = await supplyCandidates(database, chainId, gap, maxCandidates);
    const candidates = allCandidates.length < maxCandidates || gap.isNodeSourced ? allCandidates : [];
    const isContinuous = allCandidates.length === 0 && gap.stepCount >= maxSteps && gap.before !== undefined;
    const probes = isContinuous ? noProbes : chooseProbes({ ...gap, after: gap.after }, candidates, probesPerGap, gap.isNodeSourced);
    probed.push({ gap: { ...gap, after: gap.after }, probes });
  }
  const reads = readsOf(probed, null);
  const events = await eventSupplies(database, chainId, reads);
  const offsets = (await readUint256s(context, reads)).map((result, position) =>
    result === undefined ? undefined : supplyOffsetOf(result, events[position] ?? null),
  );
  const written = await writeIfCanonicalKeepingCache(context, head, async (client) => {
    for (const { gap, probes, readings } of withReadings(probed, offsets, context, backoff)) {
      if (readings.length === 0 && probes.blocks.length > 0) continue;
      const steps = probes.blocks.length === 0 ? [{ block: gap.last + 1, value: gap.after }] : fillGap(gap, readings, probes.isTruncated);
      // A step at the gap's start records that all blocks before the other steps have been read. Events that determine the entire supply need no row.
      const needsStart = gap.isFirst && steps[0]?.block !== gap.first && (steps.length > 0 || gap.isNodeSourced);
      const first = needsStart ? [{ block: gap.first, value: gap.before }] : [];
      await writeSteps(client, chainId, gap.token, gap.first, gap.last + 1, [...first, ...steps]);
    }
    return true;
  });
  return written === true && offsets.some((offset) => offset !== undefined);
};

const locateZeroSteps = async (
  context: JobContext,
  head: IndexedBlock,
  gaps: readonly ZeroAddressGap[],
  backoff: ContractBackoff,
): Promise<boolean> => {
  if (gaps.length === 0) return false;
  const { chainId, database } = context;
  const probed: ProbedGap<ZeroAddressGap>[] = [];
  for (const gap of gaps) {
    const candidates = await zeroAddressCandidates(database, chainId, gap, maxCandidates);
    const isContinuous = candidates.length === 0 && gap.periodCount >= maxSteps && gap.before !== undefined;
    const probes = isContinuous ? noProbes : chooseProbes(gap, candidates.length < maxCandidates ? candidates : [], probesPerGap, false);
    probed.push({ gap, probes });
  }
  const balances = (await readUint256s(context, readsOf(probed, zeroAddress))).map((result) =>
    result === null || result === "no data" ? 0n : result,
  );
  const written = await writeIfCanonical(context, head, async (client) => {
    for (const { gap, probes, readings } of withReadings(probed, balances, context, backoff)) {
      if (readings.length === 0 && probes.blocks.length > 0) continue;
      await writeZeroAddressSteps(client, chainId, gap, probes.blocks.length === 0 ? [] : fillGap(gap, readings, probes.isTruncated));
    }
    return true;
  });
  // A gap that was closed without reads makes room for the next one.
  return written === true && (balances.some((balance) => balance !== undefined) || probed.some(({ probes }) => probes === noProbes));
};

const readsOf = (probed: readonly ProbedGap<Gap & { readonly token: Address }>[], owner: Uint256Read["owner"]): Uint256Read[] =>
  probed.flatMap(({ gap, probes }) => probes.blocks.map((block) => ({ token: gap.token, owner, block })));

/** Gaps with their readings; a token with a failed read is in backoff. */
const withReadings = <Kind extends Gap & { readonly token: Address }>(
  probed: readonly ProbedGap<Kind>[],
  values: readonly (Exclude<Uint256Result, "no data"> | undefined)[],
  { clock }: JobContext,
  backoff: ContractBackoff,
) => {
  let next = 0;
  return probed.map(({ gap, probes }) => {
    const readings = probes.blocks.flatMap((block): Reading[] => {
      const value = values[next++];
      return value === undefined ? [] : [{ block, value }];
    });
    if (readings.length < probes.blocks.length) backoff.recordFailure(gap.token, clock());
    return { gap, probes, readings };
  });
};
