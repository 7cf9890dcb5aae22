import type { z } from "zod";
import type { bitcoinChainSchema } from "./bitcoin.ts";
import type { chainConfigSchema } from "./config.ts";

/** A well-known EVM network's settings, without its node. */
export type Preset = Omit<z.input<typeof chainConfigSchema>, "rpc"> & { readonly id: number };
/** A well-known Bitcoin network's settings, without its node. */
export type BitcoinPreset = Omit<z.input<typeof bitcoinChainSchema>, "rpc">;
