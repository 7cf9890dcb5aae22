import { z } from "zod";
import { httpUrl } from "./fields.ts";

const reservedNames = ["chains", "address", "pricing", "xy=k", "cq"];
const chainName = "a name of lower-case letters, digits and dashes that starts with a letter";

/** The schema of a chain's name. */
export const chainNameFields = {
  name: z
    .string(chainName)
    .regex(/^[a-z][a-z0-9-]*$/, chainName)
    .refine((name) => !reservedNames.includes(name), `a name other than ${reservedNames.join(", ")}`),
};

/** The schemas of the settings that determine how clients show a chain of any kind. */
export const chainDisplayFields = {
  label: z.string().optional(),
  isTestnet: z.boolean().default(false),
  category: z.string().min(1).max(64).optional().describe("The label of the network group in which clients show the chain."),
  logoUrl: httpUrl.optional(),
  blackLogoUrl: httpUrl.optional().describe("The logo for light backgrounds."),
  whiteLogoUrl: httpUrl.optional().describe("The logo for dark backgrounds."),
  colorTheme: z.strictObject({ red: z.number().int(), green: z.number().int(), blue: z.number().int() }).optional(),
};
