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
import type { Outcome } from "./outcome-rows.ts";
import { lockBlock, writeOutcomes } from "./store-outcomes.ts";
import { type Located, readEmbeddedDocuments } from "./token-document.ts";
import { type DocumentLocation, locateDocument, uriCall } from "./token-uri.ts";

/** The dependencies of reading contracts. */
export interface ReadContractsDeps extends QueueDeps {
  readonly source: Pick<Source, "head" | "calls" | "hashesOf">;
  readonly multicall: Address;
  readonly readDocument: ReadDocument;
  readonly nfts: Pick<NftsConfig, "documentBytes">;
}

/** Max tokens of one claim; documents that are embedded in their URLs are held in memory meanwhile. */
const portion = 180;
/** Max calls of one multicall: a response of megabytes costs a hostile contract nothing, and is reduced to a URL before the next multicall. */
const callsAtOnce = 30;
/** Max blocks between index and head up to which contracts are read: a node may have pruned the state of older blocks. */
const maxBehind = 16;
/** Max characters of a URL on another host. */
const maxUrlLength = 8_192;

const urlTooLong = `The contract returns a metadata URL of more than ${maxUrlLength} characters.`;
const noResponse = "The node returned no result for the contract call.";

/**
 * Reads the metadata URLs of queued tokens from their contracts, as of the indexed head. Stores embedded documents (`data:`) and refusals, and leaves
 * the URLs of other documents in the queue for `createFetcher`. Returns how many tokens it processed.
 */
export const readContracts = async (deps: ReadContractsDeps, signal: AbortSignal): Promise<number> => {
  if (!(await hasDueCalls(deps))) return 0;
  const block = await blockToRead(deps, signal);
  if (block === null) return 0;
  const claims = await claimDueCalls(deps, block.number, portion);
  if (claims.length === 0) return 0;
  const locations = await readLocations(deps, claims, block, signal).catch(async (error: unknown) => {
    await release(deps, claims);
    throw error;
  });
  // The node has replaced the block, or the process stops: the responses are void.
  if (locations === null) {
    await release(deps, claims);
    return 0;
  }
  const sorted = sortLocations(claims, locations);
  const read = await readEmbeddedDocuments(deps.readDocument, sorted.embedded, block.number, signal);
  if (signal.aborted) {
    await release(deps, claims);
    return 0;
  }
  const isStored = await deps.database.transaction(async (client) => {
    if (!(await lockBlock(client, deps.chainId, block))) return false;
    await lockQueue(client, deps.chainId);
    await writeOutcomes(client, deps, [...sorted.refused.map((refused) => ({ ...refused, readAt: block.number })), ...read.outcomes]);
    if (sorted.hosted.length > 0) await storeUrls(client, deps, block.number, sorted.hosted);
    return true;
  });
  if (!isStored) await release(deps, claims);
  else await postpone(deps, [...sorted.unanswered, ...read.failed]);
  return isStored ? claims.length : 0;
};

/** The indexed head, if the node still has its state. */
const blockToRead = async ({ database, chainId, source }: ReadContractsDeps, signal: AbortSignal): Promise<IndexedBlock | null> => {
  const indexed = await createBlockQueries(database).head(chainId);
  if (indexed === null) return null;
  const head = await nullOnAbort(source.head(), signal);
  return head === null || head.number - indexed.number > maxBehind ? null : indexed;
};

/** The location of each claimed token's document as of a block; null where the node has another block at that height, or the signal aborts. */
const readLocations = async (
  deps: ReadContractsDeps,
  claims: readonly Claim[],
  { number, hash }: IndexedBlock,
  signal: AbortSignal,
): Promise<DocumentLocation[] | null> => {
  const locations: DocumentLocation[] = [];
  for (let start = 0; start < claims.length; start += callsAtOnce) {
    const some = claims.slice(start, start + callsAtOnce);
    const outcomes = await nullOnAbort(callMany(deps.source, deps.multicall, some.map(uriCall), number), signal);
    if (outcomes === null) return null;
    locations.push(...some.map((claim, position) => locateDocument(outcomes[position], claim, deps.nfts.documentBytes)));
  }
  const hashes = await nullOnAbort(deps.source.hashesOf([number]), signal);
  return hashes?.[0] === hash ? locations : null;
};

/** Sorts tokens by what happens next: read now, fetch from a host, refuse, or retry. */
const sortLocations = (claims: readonly Claim[], locations: readonly DocumentLocation[]) => {
  const embedded: Located[] = [];
  const hosted: (Located & { readonly host: string })[] = [];
  const refused: Omit<Outcome, "readAt">[] = [];
  const unanswered: { claim: Claim; problem: string }[] = [];
  claims.forEach((claim, position) => {
    const location = locations[position] ?? null;
    const refuse = (refusal: string) => refused.push({ claim, tokenUrl: null, result: { refusal } });
    if (location === null) {
      if (claim.attempts >= maxAttempts) refuse(noResponse);
      else unanswered.push({ claim, problem: noResponse });
    } else if ("refusal" in location) refuse(location.refusal);
    else {
      const { url } = location;
      const host = hostOf(url);
      if (host === null) embedded.push({ claim, url });
      else if (url.length > maxUrlLength) refuse(urlTooLong);
      else hosted.push({ claim, url, host });
    }
  });
  return { embedded, hosted, refused, unanswered };
};
