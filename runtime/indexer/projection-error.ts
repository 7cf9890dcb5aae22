import type { Projection } from "./projection.ts";
import { isTemporary } from "./temporary-error.ts";

/** A permanent failure of one projection, which the index continues without. */
export class ProjectionError extends Error {
  override readonly name = "ProjectionError";

  constructor(
    readonly projection: string,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** The error to throw instead of one of a projection's own work: permanent failures of an isolated projection are attributed to it. */
export const attributed = ({ id, isIsolated }: Pick<Projection, "id" | "isIsolated">, error: unknown): unknown =>
  isIsolated !== true || error instanceof ProjectionError || isTemporary(error) ? error : new ProjectionError(id, error);
