import type { z } from "zod";
import type { bitcoinChain } from "./bitcoin.ts";
import type { chainConfig } from "./config.ts";

/** A well-known EVM network's settings, without its node. */
export type Preset = Omit<z.input<typeof chainConfig>, "rpc"> & { readonly id: number };
/** A well-known Bitcoin network's settings, without its node. */
export type BitcoinPreset = Omit<z.input<typeof bitcoinChain>, "rpc">;
