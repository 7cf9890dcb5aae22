import type { DecodedBlock, SafeEvent } from "../../events/decoded-block.ts";
import {
  safeExecutionFailure,
  safeExecutionSuccess,
  safeMultiSigTransaction,
  safeOwnerAdded,
  safeOwnerRemoved,
  safeSetup,
  safeThresholdChanged,
} from "../../events/safes.ts";
import { defineProjection, type Row } from "../../indexer/projection.ts";
import type { Address } from "../../lib/hex.ts";
import { executionsOf, isSafeEvent } from "./executions.ts";

/** The projection's id in the checkpoints table. */
export const safesProjectionId = "safes";

/** Executions, owners and thresholds of every contract that emits Safe events. */
export const safesProjection = defineProjection({
  id: safesProjectionId,
  version: 1,
  events: [
    safeSetup,
    safeOwnerAdded,
    safeOwnerRemoved,
    safeThresholdChanged,
    safeMultiSigTransaction,
    safeExecutionSuccess,
    safeExecutionFailure,
  ],
  tables: [
    {
      kind: "append",
      name: "safe_executions",
      columns: {
        block_number: "int8",
        log_index: "int4",
        transaction_index: "int4",
        safe: "bytea",
        tx_hash: "bytea",
        signatures: "bytea",
        checked_before: "int4",
      },
    },
    {
      kind: "append",
      name: "safe_owners",
      columns: { safe: "bytea", owner: "bytea", block_number: "int8", log_index: "int4", is_owner: "bool" },
    },
    {
      kind: "append",
      name: "safe_thresholds",
      columns: { safe: "bytea", block_number: "int8", log_index: "int4", threshold: "numeric" },
    },
  ],
  loads: {},
  keysToLoad: () => ({}),
  fold: (blocks) => ({
    safe_executions: blocks.flatMap(executionRows),
    safe_owners: blocks.flatMap((decoded) => rowsOfEvents(decoded, ownersOf)),
    safe_thresholds: blocks.flatMap((decoded) => rowsOfEvents(decoded, thresholdsOf)),
  }),
});

const executionRows = (decoded: DecodedBlock): Row[] =>
  executionsOf(decoded).map((execution) => ({
    block_number: decoded.block.number,
    log_index: execution.logIndex,
    transaction_index: execution.transactionIndex,
    safe: execution.safe,
    tx_hash: execution.txHash,
    signatures: execution.signatures,
    checked_before: execution.checkedBefore,
  }));

/** The rows of a block's Safe events with their positions. */
const rowsOfEvents = ({ block, events }: DecodedBlock, rowsOf: (event: SafeEvent) => readonly Row[]): Row[] =>
  events.filter(isSafeEvent).flatMap((event) => {
    const position = { safe: event.address, block_number: block.number, log_index: event.logIndex };
    return rowsOf(event).map((row) => ({ ...position, ...row }));
  });

const ownersOf = (event: SafeEvent): readonly { readonly owner: Address; readonly is_owner: boolean }[] => {
  switch (event.kind) {
    case "safeSetup":
      return [...new Set(event.owners)].map((owner) => ({ owner, is_owner: true }));
    case "safeOwnerAdded":
    case "safeOwnerRemoved":
      return [{ owner: event.owner, is_owner: event.kind === "safeOwnerAdded" }];
    default:
      return [];
  }
};

const thresholdsOf = (event: SafeEvent): readonly Row[] =>
  event.kind === "safeSetup" || event.kind === "safeThreshold" ? [{ threshold: event.threshold }] : [];
