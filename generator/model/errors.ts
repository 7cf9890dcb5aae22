import type { ServiceDefinition } from "../catalog/definition.ts";
import type { Operation } from "./model.ts";

/** The status that planned endpoints respond with. */
export const plannedStatus = "501";
const placeholder = "{plannedPath}";

/** The service's failures by status. The example of 501 names a planned endpoint; 501 is omitted if all endpoints are live. */
export function errorsOf(errors: ServiceDefinition["errors"], operations: readonly Operation[]): ServiceDefinition["errors"] {
  const planned = operations.find(({ status }) => status === "planned");
  return Object.fromEntries(
    Object.entries(errors).flatMap(([status, error]) => {
      if (planned === undefined && status === plannedStatus) return [];
      return [[status, { ...error, example: error.example.replace(placeholder, planned?.path ?? placeholder) }]];
    }),
  );
}
