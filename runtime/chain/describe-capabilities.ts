import type { Capabilities } from "./capabilities.ts";

/** A node feature, whether it is offered, and the consequence for the index. */
export interface DescribedCapability {
  /** The feature's name in an index's `missing` list. */
  readonly feature: string;
  readonly offered: boolean;
  /** What was found, such as the name of the method. */
  readonly found: string;
  readonly consequence: string;
}

/** Describes a node's features and their consequences; `finality` is the configured number of blocks after which a block is final. */
export const describeCapabilities = (
  capabilities: Capabilities,
  { finality }: { readonly finality?: number | undefined } = {},
): DescribedCapability[] => [
  describe("block-receipts", capabilities.hasBlockReceipts, [
    "eth_getBlockReceipts",
    "all receipts of a block are read with one call",
    "receipts are read one by one: indexing takes several times as long",
  ]),
  describeTraces(capabilities),
  describe("archive-state", capabilities.hasArchiveState, [
    "state before the first indexed block",
    "balances are exact from the first indexed block on, and native balances can be read instead of derived",
    "balances before the first indexed block are derived from balances read at the head; past balances that cannot be derived from events or traces stay unknown",
  ]),
  describe("finalized-tag", capabilities.hasFinalizedTag, [
    "finalized",
    "a reorganisation below the finalized block is rejected",
    finality === undefined
      ? "no block is final unless the chain's finality is set in the configuration; reorganisations of any depth are handled"
      : `a block counts as final ${finality} blocks later: a deeper reorganisation is rejected`,
  ]),
  describe("websocket", capabilities.hasWebSocket === true, [
    "eth_subscribe",
    "a new block is indexed as soon as the node announces it",
    capabilities.hasWebSocket === null ? "not probed: new blocks are found by polling" : "new blocks are found by polling",
  ]),
  {
    feature: "batches",
    offered: capabilities.batchSize > 1,
    found: capabilities.batchSize > 1 ? `${capabilities.batchSize} calls per request` : "no",
    consequence:
      capabilities.batchSize > 1 ? "many blocks are read in one request" : "each call is a separate request: indexing takes longer",
  },
];

const describe = (
  feature: string,
  offered: boolean,
  [found, ifOffered, ifMissing]: readonly [string, string, string],
): DescribedCapability => ({
  feature,
  offered,
  found: offered ? found : "no",
  consequence: offered ? ifOffered : ifMissing,
});

const describeTraces = ({ traceKind, hasOldTraces }: Capabilities): DescribedCapability => {
  const method = traceKind === "debug" ? "debug_traceBlockByNumber" : "trace_block";
  if (traceKind === null) {
    return {
      feature: "traces",
      offered: false,
      found: "no",
      consequence: "value transferred by internal calls is not listed; native balances are read from the state of touched accounts",
    };
  }
  return hasOldTraces
    ? { feature: "traces", offered: true, found: method, consequence: "native balances can be derived from traces" }
    : {
        feature: "traces",
        offered: false,
        found: `${method}, recent blocks only`,
        consequence: "an existing index derived from traces can continue; a new one cannot use them",
      };
};

/** The names of the features that were probed and are not offered. */
export const missingFeatures = (capabilities: Capabilities): string[] =>
  describeCapabilities(capabilities)
    .filter(({ feature, offered }) => !offered && (feature !== "websocket" || capabilities.hasWebSocket !== null))
    .map(({ feature }) => feature);
