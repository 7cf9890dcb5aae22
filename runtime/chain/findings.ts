import type { Capabilities } from "./capabilities.ts";

/** One feature of a node, and what it means for an index that it is there or not. */
export interface Finding {
  /** As the index names what it lacks. */
  readonly feature: string;
  readonly offered: boolean;
  readonly found: string;
  readonly follows: string;
}

/** Feature by feature what a node offers, and what follows from it; `finality` is the number of blocks after which the chain's configuration calls one final. */
export const findingsOf = (capabilities: Capabilities, { finality }: { readonly finality?: number | undefined } = {}): Finding[] => [
  finding("block-receipts", capabilities.blockReceipts, [
    "eth_getBlockReceipts",
    "all receipts of a block come in one call",
    "receipts are asked for one by one: indexing takes several times as long",
  ]),
  tracesFinding(capabilities),
  finding("archive-state", capabilities.archiveState, [
    "state before the first block",
    "balances are exact from the first indexed block on, wherever it is, and native ones can be read instead of followed",
    "what accounts had before an index that begins late is found out at the head; past balances that neither events nor traces tell are not",
  ]),
  finding("finalized-tag", capabilities.finalizedTag, [
    "finalized",
    "a reorganisation below the finalized block is refused",
    finality === undefined
      ? "no block counts as final unless the chain's finality is configured: a reorganisation of any depth is followed"
      : `a block counts as final ${finality} blocks later: a deeper reorganisation is refused`,
  ]),
  finding("websocket", capabilities.webSocket === true, [
    "eth_subscribe",
    "a new block is indexed as soon as the node tells it",
    capabilities.webSocket === null ? "it was not asked for: new blocks are found by asking" : "new blocks are found by asking for them",
  ]),
  {
    feature: "batches",
    offered: capabilities.batchSize > 1,
    found: capabilities.batchSize > 1 ? `${capabilities.batchSize} calls a request` : "no",
    follows: capabilities.batchSize > 1 ? "many blocks come in one request" : "each call is a request of its own: indexing takes longer",
  },
];

const finding = (feature: string, offered: boolean, [found, then, otherwise]: readonly [string, string, string]): Finding => ({
  feature,
  offered,
  found: offered ? found : "no",
  follows: offered ? then : otherwise,
});

const tracesFinding = ({ traces, oldTraces }: Capabilities): Finding => {
  const method = traces === "debug" ? "debug_traceBlockByNumber" : "trace_block";
  if (traces === null) {
    return {
      feature: "traces",
      offered: false,
      found: "no",
      follows: "value moved inside contracts is not listed; native balances need the state of touched accounts",
    };
  }
  return oldTraces
    ? { feature: "traces", offered: true, found: method, follows: "native balances can be followed by what moves inside contracts" }
    : {
        feature: "traces",
        offered: false,
        found: `${method}, recent blocks only`,
        follows: "an index begun by it can go on; a new one cannot follow value moved inside contracts",
      };
};

/** The names of what a node was asked for and does not offer. */
export const missingFeatures = (capabilities: Capabilities): string[] =>
  findingsOf(capabilities)
    .filter(({ feature, offered }) => !offered && (feature !== "websocket" || capabilities.webSocket !== null))
    .map(({ feature }) => feature);
