import type { z } from "zod";
import type { bitcoinChain } from "./bitcoin.ts";
import type { chainConfig } from "./config.ts";

/** The settings of a well-known EVM network, without its node. */
export type Preset = Omit<z.input<typeof chainConfig>, "rpc"> & { readonly id: number };
/** The settings of a well-known Bitcoin network, without its node. */
export type BitcoinPreset = Omit<z.input<typeof bitcoinChain>, "rpc">;
