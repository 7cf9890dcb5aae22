import { inject } from "vitest";

declare module "vitest" {
  export interface ProvidedContext {
    /** How much slower this machine is than the reference, measured once a run. */
    readonly slowness: number;
  }
}

/** A limit of time on the reference machine in whole milliseconds, scaled to the measured speed of this one. Used by every assertion and wait that has a limit. */
export const deadline = (milliseconds: number): number => Math.ceil(milliseconds * inject("slowness"));
