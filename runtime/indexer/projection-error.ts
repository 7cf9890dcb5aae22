import type { Projection } from "./projection.ts";
import { isTemporary } from "./temporary-error.ts";

/** One projection has failed permanently; the index continues without it. */
export class ProjectionError extends Error {
  override readonly name = "ProjectionError";

  constructor(
    readonly projection: string,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/**
 * Attributes an error to the projection that failed, if that projection is isolated and the failure is permanent; returns other errors unchanged.
 */
export const attributeToProjection = ({ id, isIsolated }: Pick<Projection, "id" | "isIsolated">, error: unknown): unknown =>
  isIsolated !== true || error instanceof ProjectionError || isTemporary(error) ? error : new ProjectionError(id, error);
