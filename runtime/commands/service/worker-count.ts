import type { Config } from "../../config/config.ts";
import { availableCores } from "../../lib/available-cores.ts";

type Workers = Pick<Config, "workers">;

/** The indexer and the database need cores too. */
const minCoresForSeveralWorkers = 4;
const defaultMaxWorkers = 8;

/** The number of workers of `ashlar serve`. */
export const serveWorkerCount = ({ workers = 1 }: Workers, cores = availableCores()): number => (workers === "auto" ? cores : workers);

/** The number of workers of `ashlar start`. */
export const startWorkerCount = ({ workers }: Workers, cores = availableCores()): number =>
  workers === undefined
    ? cores < minCoresForSeveralWorkers
      ? 1
      : Math.min(defaultMaxWorkers, Math.floor(cores / 2))
    : serveWorkerCount({ workers }, cores);
