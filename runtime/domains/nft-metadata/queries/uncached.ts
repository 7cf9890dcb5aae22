import { setImmediate as nextTurn } from "node:timers/promises";
import PQueue from "p-queue";
import { createRpc, type Rpc, type RpcResult } from "../../../chain/rpc.ts";
import { outcomeOf } from "../../../chain/source.ts";
import type { ChainConfig } from "../../../config/config.ts";
import type { NftsConfig } from "../../../config/nfts.ts";
import { abortable } from "../../../lib/async.ts";
import type { NftKey } from "../../nft/queries/tokens.ts";
import type { DocumentOutcome, ReadDocument } from "../jobs/fetch/documents/document.ts";
import { createDocumentReader } from "../jobs/fetch/documents/read-document.ts";
import { decodeUri, uriCall, withIdInside } from "../jobs/fetch/token-uri.ts";
import type { NftMetadataRow } from "./metadata.ts";

/** Reads metadata that is not kept, while a request waits. */
export interface UncachedMetadata {
  /** What could be read of some tokens within the chain's bound, the first so many of them; those that could not be are left out. Never throws. */
  read(chainId: number, tokens: readonly NftKey[]): Promise<readonly NftMetadataRow[]>;
}

/** Tokens of one request that are read. */
const maxTokens = 25;
/** Requests that are read for at once; further ones are answered without. */
const maxReadings = 8;
/** Calls in one request to the node: few, as each answer may be a picture. */
const callsAtOnce = 5;

interface UncachedDependencies {
  readonly reader?: (config: NftsConfig) => ReadDocument;
}

/** A network whose metadata is not kept, and how it is reached. */
interface Reachable {
  readonly rpc: Rpc;
  readonly read: ReadDocument;
  readonly milliseconds: number;
  readonly fetches: PQueue;
}

/**
 * Reads metadata while a request waits: addresses from the network's node as of its head, documents from wherever they are. On networks that keep metadata there is
 * nothing to read, as jobs do; nor without a node. Whatever fails or takes too long is left out, and neither the node nor its errors are named.
 */
export const createUncachedMetadata = (
  chains: readonly ChainConfig[],
  { reader = createDocumentReader }: UncachedDependencies = {},
): UncachedMetadata & { close(): Promise<void> } => {
  const reachable = new Map(chains.flatMap((chain) => (isRead(chain) ? [[chain.id, reach(chain, reader)] as const] : [])));
  const closing = new AbortController();
  let readings = 0;

  return {
    read: async (chainId, tokens) => {
      const chain = reachable.get(chainId);
      if (chain === undefined || tokens.length === 0 || readings >= maxReadings || closing.signal.aborted) return [];
      readings += 1;
      const { rows, ended } = readWithin(chain, tokens.slice(0, maxTokens), closing.signal);
      // What outlasts the request still takes up its place.
      void ended.finally(() => {
        readings -= 1;
      });
      return rows;
    },
    close: async () => {
      closing.abort(new Error("Closed."));
      await Promise.all([...reachable.values()].map(({ rpc }) => rpc.close()));
    },
  };
};

const isRead = (chain: ChainConfig): chain is ChainConfig & { readonly rpc: string } =>
  chain.rpc !== undefined && chain.nfts.metadata === "uncached";

const reach = ({ rpc: url, nfts }: ChainConfig & { readonly rpc: string }, reader: (config: NftsConfig) => ReadDocument): Reachable => {
  const milliseconds = nfts.uncachedMilliseconds;
  return {
    // Nothing is tried again: whoever waits will not wait that long.
    rpc: createRpc({ url, batchSize: callsAtOnce, concurrency: 4, retries: 0, timeoutMilliseconds: milliseconds }),
    read: reader({ ...nfts, fetchMilliseconds: Math.min(nfts.fetchMilliseconds, milliseconds) }),
    milliseconds,
    fetches: new PQueue({ concurrency: nfts.fetchesAtOnce }),
  };
};

/** The rows that are there when all is read or the time is over; `ended` resolves when nothing goes on any more. Neither rejects. */
const readWithin = (
  chain: Reachable,
  tokens: readonly NftKey[],
  closed: AbortSignal,
): { readonly rows: Promise<readonly NftMetadataRow[]>; readonly ended: Promise<unknown> } => {
  const rows = new Map<NftKey, NftMetadataRow>();
  const time = new AbortController();
  const stop = (): void => time.abort(new Error("The time is over."));
  const timer = setTimeout(stop, chain.milliseconds);
  closed.addEventListener("abort", stop, { once: true });
  const ended = readAll(chain, tokens, rows, time.signal)
    .catch(() => undefined)
    .finally(() => {
      clearTimeout(timer);
      closed.removeEventListener("abort", stop);
    });
  const inTime = abortable(time.signal, ended).catch(() => undefined);
  return { rows: inTime.then(() => tokens.flatMap((key) => rows.get(key) ?? [])), ended };
};

/** Fills in rows as they come: first with the address, then with what it leads to. */
const readAll = async (
  chain: Reachable,
  tokens: readonly NftKey[],
  rows: Map<NftKey, NftMetadataRow>,
  signal: AbortSignal,
): Promise<void> => {
  const portions = Array.from({ length: Math.ceil(tokens.length / callsAtOnce) }, (_, index) =>
    tokens.slice(index * callsAtOnce, (index + 1) * callsAtOnce),
  );
  // A portion that the node does not answer costs the others nothing.
  await Promise.allSettled(portions.map((portion) => readPortion(chain, portion, rows, signal)));
};

const readPortion = async (
  { rpc, read, fetches, milliseconds }: Reachable,
  tokens: readonly NftKey[],
  rows: Map<NftKey, NftMetadataRow>,
  signal: AbortSignal,
): Promise<void> => {
  const results = await rpc.settle(tokens.map((key) => ({ method: "eth_call", params: [uriCall(key), "latest"] })));
  const late = refusal(`The metadata was not read within ${milliseconds} ms.`);
  const readOne = async (key: NftKey, result: RpcResult): Promise<void> => {
    const outcome = outcomeOf(result);
    // The node's own trouble says nothing of the token.
    if (!outcome.ok && !outcome.reverted) return;
    const url = decodeUri(outcome, key);
    rows.set(key, rowOf(key, url, url === null ? refusal("The contract names no metadata.") : late));
    // Documents that are in the address itself take no waiting: others get their turn between two of them.
    await nextTurn();
    if (url === null || signal.aborted) return;
    const found = await read(url, signal);
    if (!signal.aborted) rows.set(key, rowOf(key, url, found));
  };
  const readings = tokens.map((key, position) => {
    const result = results[position];
    return result === undefined ? undefined : fetches.add(() => readOne(key, result));
  });
  await Promise.allSettled(readings);
};

const refusal = (text: string): DocumentOutcome => ({ ok: false, refusal: text, isLasting: false });

const rowOf = (key: NftKey, url: string | null, outcome: DocumentOutcome): NftMetadataRow => {
  const document = outcome.ok ? withIdInside(outcome.document, key) : null;
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
