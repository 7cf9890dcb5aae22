import type { z } from "zod";
import type { chainConfig } from "./config.ts";

/** The settings of a well-known network, without its node. */
export type Preset = Omit<z.input<typeof chainConfig>, "rpc"> & { readonly id: number };
