import type { Source } from "../../../../chain/source.ts";
import type { NftsConfig } from "../../../../config/nfts.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import { callMany } from "../../../../jobs/multicall.ts";
import type { QueueDeps } from "../../../../jobs/queue.ts";
import { nullOnAbort } from "../../../../lib/async.ts";
import type { Address } from "../../../../lib/hex.ts";
import { createBlockQueries } from "../../../ledger/queries/block.ts";
import { type Claim, claimDueCalls, hasDueCalls, maxAttempts, postpone, release, storeUrls } from "./claims.ts";
import type { ReadDocument } from "./documents/document.ts";
import { hostOf } from "./documents/host.ts";
import { lockQueue } from "./lock-queue.ts";
import type { MetadataOutcome } from "./outcome-rows.ts";
import { lockBlock, writeOutcomes } from "./store-outcomes.ts";
import { type LocatedClaim, readEmbeddedDocuments } from "./token-document.ts";
import { type DocumentLocation, locateDocument, uriCall } from "./token-uri.ts";

/** The dependencies of `readMetadataUrls`. */
export interface ReadMetadataUrlsDeps extends QueueDeps {
  readonly source: Pick<Source, "head" | "runCalls" | "hashesOf">;
  readonly multicallAddress: Address;
  readonly readDocument: ReadDocument;
  readonly nfts: Pick<NftsConfig, "documentBytes">;
}

/** Max tokens per claim: their URLs, which may embed documents, are held in memory until they are stored. */
const callsPerRun = 180;
/** Max calls per multicall: a hostile contract can return megabytes at no cost. Each response is reduced to a URL before the next multicall. */
const callsPerMulticall = 30;
/** Max blocks by which the index may be behind the node's head: a node may have pruned the state of older blocks. */
const maxBehind = 16;
/** Max characters of a URL that does not embed its document. */
const maxUrlLength = 8_192;

const urlTooLong = `The contract returns a metadata URL of more than ${maxUrlLength} characters.`;
const noResponse = "The node returned no result for the contract call.";

/**
 * Reads the metadata URLs of queued tokens from their contracts, as of the indexed head. Stores embedded documents (`data:`) and refusals, and leaves
 * the URLs of other documents in the queue for `createFetcher`. Returns how many tokens it processed.
 */
export const readMetadataUrls = async (deps: ReadMetadataUrlsDeps, signal: AbortSignal): Promise<number> => {
  if (!(await hasDueCalls(deps))) return 0;
  const block = await blockToRead(deps, signal);
  if (block === null) return 0;
  const claims = await claimDueCalls(deps, block.number, callsPerRun);
  if (claims.length === 0) return 0;
  const locations = await readLocations(deps, claims, block, signal).catch(async (error: unknown) => {
    await release(deps, claims);
    throw error;
  });
  // The node has replaced the block, or the process is stopping: the responses are invalid.
  if (locations === null) {
    await release(deps, claims);
    return 0;
  }
  const groups = groupByNextStep(claims, locations);
  const read = await readEmbeddedDocuments(deps.readDocument, groups.embedded, block.number, signal);
  if (signal.aborted) {
    await release(deps, claims);
    return 0;
  }
  const isStored = await deps.database.transaction(async (client) => {
    if (!(await lockBlock(client, deps.chainId, block))) return false;
    await lockQueue(client, deps.chainId);
    await writeOutcomes(client, deps, [...groups.refused.map((refused) => ({ ...refused, readAtBlock: block.number })), ...read.outcomes]);
    if (groups.hosted.length > 0) await storeUrls(client, deps, block.number, groups.hosted);
    return true;
  });
  if (!isStored) await release(deps, claims);
  else await postpone(deps, [...groups.withoutResponse, ...read.failed]);
  return isStored ? claims.length : 0;
};

/** The indexed head, if the node still has its state. */
const blockToRead = async ({ database, chainId, source }: ReadMetadataUrlsDeps, signal: AbortSignal): Promise<IndexedBlock | null> => {
  const indexed = await createBlockQueries(database).head(chainId);
  if (indexed === null) return null;
  const head = await nullOnAbort(source.head(), signal);
  return head === null || head.number - indexed.number > maxBehind ? null : indexed;
};

/** The location of each claimed token's document as of a block; null if the node has a different block at that height, or the signal aborts. */
const readLocations = async (
  deps: ReadMetadataUrlsDeps,
  claims: readonly Claim[],
  { number, hash }: IndexedBlock,
  signal: AbortSignal,
): Promise<DocumentLocation[] | null> => {
  const locations: DocumentLocation[] = [];
  for (let start = 0; start < claims.length; start += callsPerMulticall) {
    const batch = claims.slice(start, start + callsPerMulticall);
    const outcomes = await nullOnAbort(callMany(deps.source, deps.multicallAddress, batch.map(uriCall), number), signal);
    if (outcomes === null) return null;
    locations.push(...batch.map((claim, position) => locateDocument(outcomes[position], claim, deps.nfts.documentBytes)));
  }
  const hashes = await nullOnAbort(deps.source.hashesOf([number]), signal);
  return hashes?.[0] === hash ? locations : null;
};

/** Groups tokens by the next step: read now, fetch from a host, refuse, or retry. */
const groupByNextStep = (claims: readonly Claim[], locations: readonly DocumentLocation[]) => {
  const embedded: LocatedClaim[] = [];
  const hosted: (LocatedClaim & { readonly host: string })[] = [];
  const refused: Omit<MetadataOutcome, "readAtBlock">[] = [];
  const withoutResponse: { claim: Claim; problem: string }[] = [];
  claims.forEach((claim, position) => {
    const location = locations[position] ?? null;
    const refuse = (refusal: string) => refused.push({ claim, tokenUrl: null, result: { refusal } });
    if (location === null) {
      if (claim.attempts >= maxAttempts) refuse(noResponse);
      else withoutResponse.push({ claim, problem: noResponse });
    } else if ("refusal" in location) refuse(location.refusal);
    else {
      const { url } = location;
      const host = hostOf(url);
      if (host === null) embedded.push({ claim, url });
      else if (url.length > maxUrlLength) refuse(urlTooLong);
      else hosted.push({ claim, url, host });
    }
  });
  return { embedded, hosted, refused, withoutResponse };
};
