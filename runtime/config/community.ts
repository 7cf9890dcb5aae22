import { z } from "zod";
import { address } from "./fields.ts";

/** Contracts that the operator adds to declared protocols on a network: by the protocol's id, then by the kind of contract. */
export const community = z
  .record(z.string(), z.record(z.string(), z.array(address)))
  .default({})
  .describe(
    "Contracts of declared protocols in addition to the declared ones: protocol, then kind of contract, then addresses. " +
      "Their events are indexed from the first block on.",
  );
