import type { Capabilities } from "./capabilities.ts";

/** A feature of a node, whether it is offered, and the consequence for the index. */
export interface Finding {
  /** The name in `missing` of an index. */
  readonly feature: string;
  readonly offered: boolean;
  readonly found: string;
  readonly follows: string;
}

/** The features of a node and their consequences; `finality` is the configured number of blocks after which a block is final. */
export const findingsOf = (capabilities: Capabilities, { finality }: { readonly finality?: number | undefined } = {}): Finding[] => [
  finding("block-receipts", capabilities.blockReceipts, [
    "eth_getBlockReceipts",
    "all receipts of a block are read by one call",
    "receipts are read one by one: indexing takes several times as long",
  ]),
  tracesFinding(capabilities),
  finding("archive-state", capabilities.archiveState, [
    "state before the first block",
    "balances are exact from the first indexed block on, and native ones can be read instead of followed",
    "balances before the first indexed block are derived at the head; past balances that follow from neither events nor traces stay unknown",
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
    "a new block is indexed as soon as the node announces it",
    capabilities.webSocket === null ? "not probed: new blocks are found by polling" : "new blocks are found by polling",
  ]),
  {
    feature: "batches",
    offered: capabilities.batchSize > 1,
    found: capabilities.batchSize > 1 ? `${capabilities.batchSize} calls a request` : "no",
    follows: capabilities.batchSize > 1 ? "many blocks are read in one request" : "each call is a separate request: indexing takes longer",
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
      follows: "value moved by inner calls is not listed; native balances are read from the state of touched accounts",
    };
  }
  return oldTraces
    ? { feature: "traces", offered: true, found: method, follows: "native balances can be followed by traces" }
    : {
        feature: "traces",
        offered: false,
        found: `${method}, recent blocks only`,
        follows: "an existing index by traces can continue; a new one cannot use them",
      };
};

/** The names of the features that were probed and are not offered. */
export const missingFeatures = (capabilities: Capabilities): string[] =>
  findingsOf(capabilities)
    .filter(({ feature, offered }) => !offered && (feature !== "websocket" || capabilities.webSocket !== null))
    .map(({ feature }) => feature);
