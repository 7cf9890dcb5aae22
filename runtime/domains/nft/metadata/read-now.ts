import { orStopped } from "../../../indexer/or-stopped.ts";
import { type Claim, mostAttempts } from "./claims.ts";
import type { DocumentOutcome, ReadDocument } from "./document.ts";
import type { Outcome } from "./outcome-rows.ts";

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

/** Reads documents, all at once: those that their URLs hold. What the signal interrupts is in neither list. */
export const readNow = async (
  readDocument: ReadDocument,
  located: readonly Located[],
  readAt: number,
  signal: AbortSignal,
): Promise<ReadResults> => {
  const results: ReadResults = { outcomes: [], failed: [] };
  const documents = await Promise.all(located.map(({ url }) => readOne(readDocument, url, signal)));
  located.forEach(({ claim, url }, position) => {
    sortDocument(results, claim, url, readAt, documents[position] ?? null);
  });
  return results;
};

/** One document; null where the signal came first. */
export const readOne = async (readDocument: ReadDocument, url: string, signal: AbortSignal): Promise<DocumentOutcome | null> => {
  try {
    const outcome = await orStopped(readDocument(url, signal), signal);
    return signal.aborted ? null : outcome;
  } catch {
    // It never throws, it says; a mistake in it must not hold up the queue.
    return { ok: false, refusal: "the document cannot be read", isLasting: false };
  }
};

/** What can pass is tried again up to the last attempt, whose failure is kept as the answer. */
export const sortDocument = (results: ReadResults, claim: Claim, url: string, readAt: number, document: DocumentOutcome | null): void => {
  if (document === null) return;
  if (document.ok) results.outcomes.push({ claim, readAt, tokenUrl: url, result: { document: document.document } });
  else if (document.isLasting || claim.attempts >= mostAttempts)
    results.outcomes.push({ claim, readAt, tokenUrl: url, result: { refusal: document.refusal } });
  else results.failed.push({ claim, problem: document.refusal });
};
