import { setImmediate as nextTurn } from "node:timers/promises";
import PQueue from "p-queue";
import { createFallbackRpc, type FallbackRpc } from "../../../chain/nodes/fallback-rpc.ts";
import type { RpcResult } from "../../../chain/rpc.ts";
import { outcomeOf } from "../../../chain/source.ts";
import type { ChainConfig } from "../../../config/config.ts";
import { nodeUrlsOf } from "../../../config/fields.ts";
import type { NftsConfig } from "../../../config/nfts.ts";
import { abortable } from "../../../lib/async.ts";
import type { NftKey } from "../../nft/queries/tokens.ts";
import type { DocumentOutcome, ReadDocument } from "../jobs/fetch/documents/document.ts";
import { createDocumentReader } from "../jobs/fetch/documents/read-document.ts";
import { readTokenDocument } from "../jobs/fetch/token-document.ts";
import { locateDocument, uriCall } from "../jobs/fetch/token-uri.ts";
import type { NftMetadataRow } from "./metadata.ts";

/** Reads unstored metadata while a request waits. */
export interface UncachedMetadata {
  /** The metadata of the first tokens, up to the maximum per request and within the chain's time limit; unreadable ones are omitted. Never throws. */
  read(chainId: number, tokens: readonly NftKey[]): Promise<readonly NftMetadataRow[]>;
}

/** Max tokens read for one request. */
const maxTokens = 25;
/** Max concurrent requests; additional ones get no rows. */
const maxRequests = 8;
/** Max calls per JSON-RPC batch: low, because each response may embed an image. */
const callsPerBatch = 5;

interface UncachedDependencies {
  readonly reader?: (config: NftsConfig) => ReadDocument;
}

/** The clients of a chain with uncached metadata. */
interface ChainReader {
  readonly rpc: FallbackRpc;
  readonly readDocument: ReadDocument;
  readonly milliseconds: number;
  readonly fetches: PQueue;
}

/**
 * Creates the metadata reader for chains with `nfts.metadata: uncached`: URLs are read from the node at its head, documents from their hosts. Chains with
 * cached metadata or without a node have no rows. Reads that fail or take too long are omitted; rows name neither the node nor its errors.
 */
export const createUncachedMetadata = (
  chains: readonly ChainConfig[],
  { reader = createDocumentReader }: UncachedDependencies = {},
): UncachedMetadata & { close(): Promise<void> } => {
  const readers = new Map(chains.flatMap((chain) => (isUncached(chain) ? [[chain.id, createChainReader(chain, reader)] as const] : [])));
  const closing = new AbortController();
  let requests = 0;

  return {
    read: async (chainId, tokens) => {
      const chain = readers.get(chainId);
      if (chain === undefined || tokens.length === 0 || requests >= maxRequests || closing.signal.aborted) return [];
      requests += 1;
      const { rows, ended } = readWithin(chain, tokens.slice(0, maxTokens), closing.signal);
      // Reads that outlast the request still count towards the limit.
      void ended.finally(() => {
        requests -= 1;
      });
      return rows;
    },
    close: async () => {
      closing.abort(new Error("Closed."));
      await Promise.all([...readers.values()].map(({ rpc }) => rpc.close()));
    },
  };
};

const isUncached = (chain: ChainConfig): boolean => nodeUrlsOf(chain).length > 0 && chain.nfts.metadata === "uncached";

const createChainReader = (chain: ChainConfig, reader: (config: NftsConfig) => ReadDocument): ChainReader => {
  const { nfts } = chain;
  const milliseconds = nfts.uncachedMilliseconds;
  return {
    // No retries: the time limit of a request leaves no room for them.
    rpc: createFallbackRpc(nodeUrlsOf(chain), { batchSize: callsPerBatch, concurrency: 4, retries: 0, timeoutMilliseconds: milliseconds }),
    readDocument: reader({ ...nfts, fetchMilliseconds: Math.min(nfts.fetchMilliseconds, milliseconds) }),
    milliseconds,
    fetches: new PQueue({ concurrency: nfts.fetchesAtOnce }),
  };
};

/** `rows` resolves when all tokens are read or the time limit is reached, `ended` when no read is in progress. Neither rejects. */
const readWithin = (
  chain: ChainReader,
  tokens: readonly NftKey[],
  closed: AbortSignal,
): { readonly rows: Promise<readonly NftMetadataRow[]>; readonly ended: Promise<unknown> } => {
  const rows = new Map<NftKey, NftMetadataRow>();
  const timeout = new AbortController();
  const stop = (): void => timeout.abort(new Error("The time limit for reading NFT metadata has passed, or the server is stopping."));
  const timer = setTimeout(stop, chain.milliseconds);
  closed.addEventListener("abort", stop, { once: true });
  const ended = readAll(chain, tokens, rows, timeout.signal)
    .catch(() => undefined)
    .finally(() => {
      clearTimeout(timer);
      closed.removeEventListener("abort", stop);
    });
  const inTime = abortable(timeout.signal, ended).catch(() => undefined);
  return { rows: inTime.then(() => tokens.flatMap((key) => rows.get(key) ?? [])), ended };
};

/** Sets each token's row when its URL is read, and again when its document is read. */
const readAll = async (
  chain: ChainReader,
  tokens: readonly NftKey[],
  rows: Map<NftKey, NftMetadataRow>,
  signal: AbortSignal,
): Promise<void> => {
  const batches = Array.from({ length: Math.ceil(tokens.length / callsPerBatch) }, (_, index) =>
    tokens.slice(index * callsPerBatch, (index + 1) * callsPerBatch),
  );
  // A batch that fails does not affect the others.
  await Promise.allSettled(batches.map((batch) => readBatch(chain, batch, rows, signal)));
};

const readBatch = async (
  { rpc, readDocument, fetches, milliseconds }: ChainReader,
  tokens: readonly NftKey[],
  rows: Map<NftKey, NftMetadataRow>,
  signal: AbortSignal,
): Promise<void> => {
  const results = await rpc.settle(tokens.map((key) => ({ method: "eth_call", params: [uriCall(key), "latest"] })));
  const timedOut = refused(`The metadata was not read within ${milliseconds} ms.`);
  const readToken = async (key: NftKey, result: RpcResult): Promise<void> => {
    const location = locateDocument(outcomeOf(result), key);
    // The node failed to execute the call: the token is omitted.
    if (location === null) return;
    const url = "url" in location ? location.url : null;
    rows.set(key, rowOf(key, url, "url" in location ? timedOut : refused(location.refusal)));
    // Embedded documents are read without I/O: this lets other requests run between documents.
    await nextTurn();
    if (url === null || signal.aborted) return;
    const document = await readTokenDocument(readDocument, key, url, signal);
    if (!signal.aborted) rows.set(key, rowOf(key, url, document));
  };
  const reads = tokens.map((key, position) => {
    const result = results[position];
    return result === undefined ? undefined : fetches.add(() => readToken(key, result));
  });
  await Promise.allSettled(reads);
};

const refused = (refusal: string): DocumentOutcome => ({ ok: false, refusal, isPermanent: false });

const rowOf = (key: NftKey, url: string | null, outcome: DocumentOutcome): NftMetadataRow => {
  const document = outcome.ok ? outcome.document : null;
  return {
    token: key.token,
    token_id: key.token_id,
    token_url: url,
    refusal: outcome.ok ? outcome.document.refusal : outcome.refusal,
    has_document: document !== null,
    name: document?.name ?? null,
    description: document?.description ?? null,
    image: document?.image ?? null,
    animation_url: document?.animationUrl ?? null,
    external_url: document?.externalUrl ?? null,
    owner: document?.owner ?? null,
    attributes: document?.attributes ?? null,
    asset_bytes: document?.assetBytes ?? null,
  };
};
