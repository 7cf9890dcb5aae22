import type { z } from "zod";
import type { chainConfig } from "./config.ts";

/** What is known of a network before anybody configures it: everything but its node. */
export type Preset = Omit<z.input<typeof chainConfig>, "rpc"> & { readonly id: number };
