import type { CallOutcome, Source } from "../../../../chain/source.ts";
import type { NftsConfig } from "../../../../config/nfts.ts";
import type { IndexedBlock } from "../../../../indexer/types.ts";
import { callMany } from "../../../../jobs/multicall.ts";
import { nullOnAbort } from "../../../../lib/async.ts";
import type { Address } from "../../../../lib/hex.ts";
import { createBlockQueries } from "../../../ledger/queries/block.ts";
import { type Claim, claimUnasked, hasUnasked, maxAttempts, postpone, type QueueDeps, release, saveAddresses } from "./claims.ts";
import type { ReadDocument } from "./documents/document.ts";
import { hostOf } from "./documents/host.ts";
import { lockQueue } from "./lock-queue.ts";
import type { Outcome } from "./outcome-rows.ts";
import { readNow } from "./read-now.ts";
import { holdBlock, writeOutcomes } from "./store-outcomes.ts";
import { decodeUri, uriCall } from "./token-uri.ts";

/** What contracts are asked with. */
export interface AskDeps extends QueueDeps {
  readonly source: Pick<Source, "head" | "calls" | "hashesOf">;
  readonly multicall: Address;
  readonly readDocument: ReadDocument;
  readonly nfts: Pick<NftsConfig, "documentBytes">;
}

/** Tokens that are taken at once; documents that contracts hold themselves are in memory meanwhile. */
const portion = 180;
/** Of these, so many are asked for at once: an answer that costs a hostile contract nothing may have megabytes, and what is too large of it goes before the next are asked. */
const askedAtOnce = 30;
/** Blocks between index and head while contracts are asked: a node may have lost the state of older ones. */
const maxBehind = 16;
/** A longer address of another host is none. */
const longestAddress = 8_192;

const noAddress = "The contract gives no address of metadata.";
const tooLong = `The contract gives an address of metadata that is longer than ${longestAddress} characters.`;
const tooLarge = (maxBytes: number): string =>
  `What the contract says of the metadata is too large; documents of up to ${maxBytes} bytes are accepted.`;
const noWord = "The node cannot say what the contract answers.";

/**
 * Asks the contracts of waiting tokens where the metadata is, at the indexed head; keeps at once what they hold themselves (`data:`) and where they give nothing, and
 * leaves the rest to whoever fetches. Gives how many tokens it took in hand.
 */
export const askContracts = async (deps: AskDeps, signal: AbortSignal): Promise<number> => {
  if (!(await hasUnasked(deps))) return 0;
  const place = await placeToAsk(deps, signal);
  if (place === null) return 0;
  const claims = await claimUnasked(deps, place.number, portion);
  if (claims.length === 0) return 0;
  const answers = await ask(deps, claims, place, signal).catch(async (error: unknown) => {
    await release(deps, claims);
    throw error;
  });
  // The node has another block there by now, or the process stops: what was said is of no use.
  if (answers === null) {
    await release(deps, claims);
    return 0;
  }
  const sorted = sortAnswers(claims, answers);
  const read = await readNow(deps.readDocument, sorted.held, place.number, signal);
  if (signal.aborted) {
    await release(deps, claims);
    return 0;
  }
  const isKept = await deps.database.transaction(async (client) => {
    if (!(await holdBlock(client, deps.chainId, place))) return false;
    await lockQueue(client, deps.chainId);
    await writeOutcomes(client, deps, [...sorted.refused.map((refused) => ({ ...refused, readAt: place.number })), ...read.outcomes]);
    if (sorted.elsewhere.length > 0) await saveAddresses(client, deps, place.number, sorted.elsewhere);
    return true;
  });
  if (!isKept) await release(deps, claims);
  else await postpone(deps, [...sorted.unanswered, ...read.failed]);
  return isKept ? claims.length : 0;
};

/** The indexed head, where the node still has its state. */
const placeToAsk = async ({ database, chainId, source }: AskDeps, signal: AbortSignal): Promise<IndexedBlock | null> => {
  const indexed = await createBlockQueries(database).head(chainId);
  if (indexed === null) return null;
  const head = await nullOnAbort(source.head(), signal);
  return head === null || head.number - indexed.number > maxBehind ? null : indexed;
};

/** What a contract said of a token; null where the node does not know. */
type Answer = { readonly url: string | null } | { readonly refusal: string } | null;

/** What contracts say at a block, null where the node has another one at that height. */
const ask = async (
  deps: AskDeps,
  claims: readonly Claim[],
  { number, hash }: IndexedBlock,
  signal: AbortSignal,
): Promise<Answer[] | null> => {
  const answers: Answer[] = [];
  for (let start = 0; start < claims.length; start += askedAtOnce) {
    const some = claims.slice(start, start + askedAtOnce);
    const outcomes = await nullOnAbort(callMany(deps.source, deps.multicall, some.map(uriCall), number), signal);
    if (outcomes === null) return null;
    answers.push(...some.map((claim, position) => answerOf(outcomes[position], claim, deps.nfts.documentBytes)));
  }
  const hashes = await nullOnAbort(deps.source.hashesOf([number]), signal);
  return hashes?.[0] === hash ? answers : null;
};

const answerOf = (outcome: CallOutcome | undefined, claim: Claim, maxBytes: number): Answer => {
  if (outcome === undefined || !(outcome.ok || outcome.reverted)) return null;
  // Two digits a byte, and escaped, a byte of a document is three characters.
  if (outcome.ok && outcome.data.length > 2 * (3 * maxBytes + 1_000)) return { refusal: tooLarge(maxBytes) };
  return { url: decodeUri(outcome, claim) };
};

type Refused = Omit<Outcome, "readAt">;

const sortAnswers = (claims: readonly Claim[], answers: readonly Answer[]) => {
  const held: { claim: Claim; url: string }[] = [];
  const elsewhere: { claim: Claim; url: string; host: string }[] = [];
  const refused: Refused[] = [];
  const unanswered: { claim: Claim; problem: string }[] = [];
  claims.forEach((claim, position) => {
    const answer = answers[position] ?? null;
    const refuse = (refusal: string) => refused.push({ claim, tokenUrl: null, result: { refusal } });
    if (answer === null) {
      if (claim.attempts >= maxAttempts) refuse(noWord);
      else unanswered.push({ claim, problem: noWord });
    } else if ("refusal" in answer) refuse(answer.refusal);
    else if (answer.url === null) refuse(noAddress);
    else {
      const { url } = answer;
      const host = hostOf(url);
      if (host === null) held.push({ claim, url });
      else if (url.length > longestAddress) refuse(tooLong);
      else elsewhere.push({ claim, url, host });
    }
  });
  return { held, elsewhere, refused, unanswered };
};
