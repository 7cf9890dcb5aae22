import { type Operation, operations } from "../../../generated/operations.gen.ts";

/** The operations that the demo answers: all live ones except those of Bitcoin chains, which test/integration/domains/bitcoin compares with a chain of its own. */
export const demoOperations: readonly Operation[] = operations.filter(
  ({ status, protocol }) => status === "live" && protocol !== "protocol_03",
);
