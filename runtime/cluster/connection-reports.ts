import type { ConnectionReport } from "./sent-connections.ts";

/** Collects a worker's connection events; those of one event loop iteration are sent as one report. */
export interface ConnectionReports {
  taken(id: number): void;
  declined(id: number): void;
  /** A taken connection was closed. */
  closed(): void;
}

export function createConnectionReports(send: (report: ConnectionReport) => void): ConnectionReports {
  let pending: { taken: number[]; declined: number[]; closed: number } | undefined;
  const current = () => {
    if (pending !== undefined) return pending;
    const report = { taken: [], declined: [], closed: 0 };
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
      current().closed += 1;
    },
  };
}
