import { z } from "zod";
import { address, httpUrl } from "./fields.ts";

const exchangeName = "a name of up to 64 lower-case letters, digits, dashes and underscores that starts with a letter or a digit";

const reservedExchanges = ["address", "tokens", "supported_dexes"];

/** An exchange: the contracts that create its pools, and its description in responses. */
const exchange = z
  .strictObject({
    name: z
      .string(exchangeName)
      .max(64)
      .regex(/^[a-z0-9][a-z0-9_-]*$/, exchangeName)
      .refine((name) => !reservedExchanges.includes(name), `a name other than ${reservedExchanges.join(", ")}`),
    label: z.string().optional().describe("The display name."),
    family: z.enum(["xy=k", "concentrated"]).default("xy=k").describe("Constant product, or concentrated liquidity."),
    factory: address.describe("The contract whose events announce the pools."),
    routers: z.array(address).default([]),
    feePpm: z
      .number()
      .int()
      .min(0)
      .max(999_999)
      .optional()
      .describe("The swap fee in millionths of the amount paid in: 3000 is 0.3 %. Concentrated-liquidity pools define their own fees."),
    logoUrl: httpUrl.optional(),
    version: z.number().positive().optional().describe("The version of the protocol, such as 2 or 3."),
    fork: z.string().min(1).max(64).optional().describe("The protocol that it was forked from."),
    forkVersion: z.number().positive().optional().describe("The version of the protocol that it was forked from."),
  })
  .refine(({ family, feePpm }) => family === "xy=k" || feePpm === undefined, {
    path: ["feePpm"],
    error: "no value for a concentrated-liquidity exchange, because its pools define their own fees",
  });

/** A chain's exchanges, with distinct names and factories. */
export const exchanges = z.array(exchange).superRefine((all, context) => {
  for (const [index, { name, factory }] of all.entries()) {
    const earlier = all.slice(0, index);
    const duplicate = earlier.some((other) => other.name === name)
      ? "name"
      : earlier.some((other) => other.factory === factory)
        ? "factory"
        : null;
    if (duplicate !== null)
      context.addIssue({ code: "custom", path: [index, duplicate], message: `a ${duplicate} that no other exchange of the chain has` });
  }
});

/** A network's exchange. */
export type ExchangeConfig = z.infer<typeof exchange>;
