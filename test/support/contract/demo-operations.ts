import { type Operation, operations } from "../../../generated/operations.gen.ts";

/** The operations that the demo serves: all live ones. */
export const demoOperations: readonly Operation[] = operations.filter(({ status }) => status === "live");
