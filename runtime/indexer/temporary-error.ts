import { BrokenChainError, InvalidResponseError, RpcError, TransportError } from "../chain/errors.ts";
import { DatabaseUnavailable } from "../database/errors.ts";
import { LeadershipLostError } from "./leader/leader.ts";
import { CheckpointMovedError } from "./storage/checkpoints.ts";

/**
 * SQLSTATE classes and codes of temporary errors (PostgreSQL, appendix A): connection, serialization, resources, operator intervention and system
 * errors; a read-only transaction (25006) on a server that is or was a standby, an unavailable lock (55P03), and an object in use (55006).
 */
const temporaryStates = /^(08|40|53|57|58|25006|25P0[34]|55P03|55006)/;

const temporaryErrors = [
  TransportError,
  InvalidResponseError,
  BrokenChainError,
  RpcError,
  DatabaseUnavailable,
  CheckpointMovedError,
  LeadershipLostError,
] as const;

/** Whether the same work might succeed later. */
export const isTemporary = (error: unknown): error is Error => {
  if (!(error instanceof Error)) return false;
  return temporaryErrors.some((kind) => error instanceof kind) || temporaryStates.test(String((error as { code?: unknown }).code));
};
