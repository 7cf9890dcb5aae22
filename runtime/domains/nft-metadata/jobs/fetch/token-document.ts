import { setImmediate as nextTurn } from "node:timers/promises";
import { nullOnAbort } from "../../../../lib/async.ts";
import type { NftKey } from "../../../nft/queries/tokens.ts";
import { type Claim, maxAttempts } from "./claims.ts";
import type { DocumentOutcome, ReadDocument } from "./documents/document.ts";
import type { MetadataOutcome } from "./outcome-rows.ts";
import { substituteTokenId } from "./token-uri.ts";

/** Reads the document of a token and fills in the token's id. Never throws: an exception thrown by the reader affects only this document. */
export const readTokenDocument = async (
  readDocument: ReadDocument,
  key: NftKey,
  url: string,
  signal: AbortSignal,
): Promise<DocumentOutcome> => {
  try {
    const outcome = await readDocument(url, signal);
    return outcome.ok ? { ok: true, document: substituteTokenId(outcome.document, key) } : outcome;
  } catch {
    return { ok: false, refusal: "The document cannot be read.", isPermanent: false };
  }
};

/** A claimed token and the URL of its document. */
export interface LocatedClaim {
  readonly claim: Claim;
  readonly url: string;
}

/** The results of reading documents: outcomes to store, and claims to retry. */
export interface ReadResults {
  readonly outcomes: MetadataOutcome[];
  readonly failed: { claim: Claim; problem: string }[];
}

/** Adds a document to the results. Temporary failures are retried; the failure of the last attempt is stored. */
export const addDocument = (results: ReadResults, { claim, url }: LocatedClaim, readAt: number, document: DocumentOutcome): void => {
  if (document.ok) results.outcomes.push({ claim, readAtBlock: readAt, tokenUrl: url, result: { document: document.document } });
  else if (document.isPermanent || claim.attempts >= maxAttempts)
    results.outcomes.push({ claim, readAtBlock: readAt, tokenUrl: url, result: { refusal: document.refusal } });
  else results.failed.push({ claim, problem: document.refusal });
};

/**
 * Reads documents embedded in their URLs, one after another. A hostile one may take half a second, so other work runs in between. Documents
 * that are unread when the signal aborts are in neither list.
 */
export const readEmbeddedDocuments = async (
  readDocument: ReadDocument,
  embedded: readonly LocatedClaim[],
  readAt: number,
  signal: AbortSignal,
): Promise<ReadResults> => {
  const results: ReadResults = { outcomes: [], failed: [] };
  for (const located of embedded) {
    await nextTurn();
    const document = await nullOnAbort(readTokenDocument(readDocument, located.claim, located.url, signal), signal);
    if (document === null || signal.aborted) return results;
    addDocument(results, located, readAt, document);
  }
  return results;
};
