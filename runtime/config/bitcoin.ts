import { z } from "zod";
import { type BitcoinNetworkName, bitcoinNetworks } from "../lib/bitcoin/networks.ts";
import { chainDisplayFields, chainNameFields } from "./chain-fields.ts";
import { chainDatabaseSetting } from "./databases.ts";
import { nodeUrl } from "./fields.ts";

/** A Bitcoin network's settings. */
export const bitcoinChainSchema = z.strictObject({
  ...chainNameFields,
  ...chainDatabaseSetting,
  kind: z.literal("bitcoin"),
  network: z
    .enum(Object.keys(bitcoinNetworks) as [BitcoinNetworkName, ...BitcoinNetworkName[]])
    .describe("The node's network, which determines the address format."),
  id: z
    .number()
    .int()
    .positive()
    .optional()
    .describe(
      "The number that identifies the chain in the index and in paths; by default a number per network, because Bitcoin has no chain ids.",
    ),
  ...chainDisplayFields,
  rpc: nodeUrl.optional().describe("The node's URL, with its user and password: http://user:password@localhost:8332. It is never printed."),
  from: z.number().int().min(0).default(0).describe("The first block to index."),
  finality: z.number().int().positive().optional().describe("Confirmations after which a block is final; without it, no block is final."),
  pollMilliseconds: z.number().int().min(50).default(5_000),
});

export type ConfiguredBitcoinChain = z.infer<typeof bitcoinChainSchema>;
/** A Bitcoin network whose id is known. */
export type BitcoinChainConfig = ConfiguredBitcoinChain & { readonly id: number };
