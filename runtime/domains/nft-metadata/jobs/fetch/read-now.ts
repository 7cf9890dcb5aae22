import { setImmediate as nextTurn } from "node:timers/promises";
import { nullOnAbort } from "../../../../lib/async.ts";
import { type Claim, maxAttempts } from "./claims.ts";
import type { DocumentOutcome, ReadDocument } from "./documents/document.ts";
import type { Outcome } from "./outcome-rows.ts";
import { withIdInside } from "./token-uri.ts";

/** A token, and where its document is. */
export interface Located {
  readonly claim: Claim;
  readonly url: string;
}

/** What reading documents came to: what is to be kept, and what is to be tried again. */
export interface ReadResults {
  readonly outcomes: Outcome[];
  readonly failed: { claim: Claim; problem: string }[];
}

/**
 * Reads documents that their URLs hold, one after another: there is nothing to wait for, and others have their turn between two, as a hostile one may take half a second.
 * Where the signal interrupts, what is not read is in neither list.
 */
export const readNow = async (
  readDocument: ReadDocument,
  located: readonly Located[],
  readAt: number,
  signal: AbortSignal,
): Promise<ReadResults> => {
  const results: ReadResults = { outcomes: [], failed: [] };
  for (const { claim, url } of located) {
    await nextTurn();
    const document = await nullOnAbort(readOne(readDocument, url, signal), signal);
    if (document === null || signal.aborted) return results;
    sortDocument(results, claim, url, readAt, document);
  }
  return results;
};

/** One document; what a reader throws is a failure of that document alone. */
export const readOne = async (readDocument: ReadDocument, url: string, signal: AbortSignal): Promise<DocumentOutcome> => {
  try {
    return await readDocument(url, signal);
  } catch {
    // It says that it never throws; a mistake in it must not hold up the queue.
    return { ok: false, refusal: "The document cannot be read.", isLasting: false };
  }
};

/** What can pass is tried again up to the last attempt, whose failure is kept as the answer. */
export const sortDocument = (results: ReadResults, claim: Claim, url: string, readAt: number, document: DocumentOutcome): void => {
  if (document.ok) results.outcomes.push({ claim, readAt, tokenUrl: url, result: { document: withIdInside(document.document, claim) } });
  else if (document.isLasting || claim.attempts >= maxAttempts)
    results.outcomes.push({ claim, readAt, tokenUrl: url, result: { refusal: document.refusal } });
  else results.failed.push({ claim, problem: document.refusal });
};
