import type { ServiceDefinition } from "../catalog/definition.ts";
import type { Operation } from "./model.ts";

/** Only an endpoint that is not live yet answers so. */
export const plannedStatus = "501";
const placeholder = "{plannedPath}";

/** The service's failures: the example of a planned endpoint names one that is planned, and goes when none is left. */
export function errorsOf(errors: ServiceDefinition["errors"], operations: readonly Operation[]): ServiceDefinition["errors"] {
  const planned = operations.find(({ status }) => status === "planned");
  return Object.fromEntries(
    Object.entries(errors).flatMap(([status, error]) => {
      if (planned === undefined && status === plannedStatus) return [];
      return [[status, { ...error, example: error.example.replace(placeholder, planned?.path ?? placeholder) }]];
    }),
  );
}
