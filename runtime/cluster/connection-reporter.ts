import type { ConnectionReport } from "./sent-connections.ts";

/** Collects a worker's connection events; those of one event loop iteration are sent as one report. */
export interface ConnectionReporter {
  taken(id: number): void;
  declined(id: number): void;
  /** A taken connection was closed. */
  closed(): void;
}

export function createConnectionReporter(send: (report: ConnectionReport) => void): ConnectionReporter {
  let pending: { taken: number[]; declined: number[]; closedCount: number } | undefined;
  const current = () => {
    if (pending !== undefined) return pending;
    const report = { taken: [], declined: [], closedCount: 0 };
    pending = report;
    setImmediate(() => {
      pending = undefined;
      send(report);
    });
    return pending;
  };
  return {
    taken: (id) => void current().taken.push(id),
    declined: (id) => void current().declined.push(id),
    closed() {
      current().closedCount += 1;
    },
  };
}
