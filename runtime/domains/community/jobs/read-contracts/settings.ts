/** Intervals, in milliseconds, of the jobs that read declared protocols' contracts. */
export interface ContractReadSettings {
  /** Between two portions of reads when no more are due. */
  readonly readMilliseconds: number;
  /** Between two searches for blocks at which periodic reads are due. */
  readonly scheduleMilliseconds: number;
  /** The first wait before a contract with failed calls is read again. */
  readonly backoffMilliseconds: number;
}

export const defaultContractReadSettings: ContractReadSettings = {
  readMilliseconds: 500,
  scheduleMilliseconds: 5_000,
  backoffMilliseconds: 30_000,
};

/** Max reads per run, in total and per contract, and the number of newest queued reads that they are chosen from. */
export const maxReads = 200;
export const maxReadsPerContract = 100;
export const maxConsidered = 2_000;
/** Max queued reads per declared read that one run removes because the node lacks their state. */
export const maxDropped = 20_000;
/** Max heights read concurrently. */
export const maxConcurrentHeights = 4;
/** Max blocks that one run probes for state after the node has repeatedly lacked the state of another block. */
export const maxProbedBlocks = 2_000;
/** Max listed contracts that one run adds, and the number of their stored logs after which it stops: no batch is written meanwhile. */
export const maxAdded = { contracts: 100, logs: 20_000 };
/** Attempts after which a value that could not be read is stored as unknown. */
export const maxAttempts = 8;
/** Max blocks per read for which one run queues periodic reads, and the number of queued reads above which past blocks wait. */
export const maxScheduledBlocks = 20;
export const maxQueued = 2_000;
