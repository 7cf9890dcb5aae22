import { BadReplyError, BrokenChainError, RpcError, TransportError } from "../chain/errors.ts";
import { DatabaseUnavailable } from "../database/errors.ts";
import { LeadershipLostError } from "./leader/leader.ts";
import { CheckpointMovedError } from "./storage/checkpoints.ts";

/** SQLSTATE classes of temporary errors: connection, resources, operator intervention, serialization (PostgreSQL, appendix A). */
const temporaryStates = /^(08|53|57|40)/;

const temporaryErrors = [
  TransportError,
  BadReplyError,
  BrokenChainError,
  RpcError,
  DatabaseUnavailable,
  CheckpointMovedError,
  LeadershipLostError,
] as const;

/** Whether the same work may succeed later. */
export const isTemporary = (error: unknown): error is Error => {
  if (!(error instanceof Error)) return false;
  return temporaryErrors.some((kind) => error instanceof kind) || temporaryStates.test(String((error as { code?: unknown }).code));
};
