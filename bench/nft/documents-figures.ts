import { type BenchResult, rounded } from "../result.ts";
import type { DocumentsRun } from "./read-documents.ts";

/** The target on the reference machine; it is scaled for a different number of documents. */
const target = { documents: 10_000, milliseconds: 60_000 };

/** Returns the table and figures of a run. */
export function resultOfDocuments({ documents, catchUpMilliseconds, milliseconds, cpu, load, calibration }: DocumentsRun): BenchResult {
  const max = Math.round(((target.milliseconds * documents) / target.documents) * calibration.factor);
  const seconds = (value: number | null): number | string => (value === null ? "" : rounded(value, 1));
  return {
    table: [
      {
        "on-chain documents": documents,
        "ms to catch up": Math.round(catchUpMilliseconds),
        "ms until stored": Math.round(milliseconds),
        "target ms": max,
        "per second": Math.round((documents * 1_000) / milliseconds),
        "own CPU s": seconds(cpu.indexer),
        "node CPU s": seconds(cpu.node),
        "database CPU s": seconds(cpu.database),
        "system load": rounded(load, 1),
      },
    ],
    figures: { calibrationMilliseconds: rounded(calibration.milliseconds, 3), documentMilliseconds: Math.round(milliseconds) },
    missed:
      milliseconds < max
        ? []
        : [
            `${documents} documents took ${Math.round(milliseconds)} ms after the index reached the head; the target is less than ${max} ms.`,
          ],
  };
}
