import { expect, it } from "vitest";
import type { DiagnosticCode } from "../../../../generator/catalog/diagnostics.ts";
import { type Change, catalogWith } from "../../../support/generator/catalog/small-catalog.ts";

/** A fault: the change, its only diagnostic, and parts of the message. */
export interface Fault extends Change {
  readonly wrong: string;
  readonly code: DiagnosticCode;
  readonly contains: readonly string[];
}

export const serviceFile = "spec/service.yaml";
export const tokensFile = "spec/endpoints/tokens.yaml";
export const logsFile = "spec/endpoints/logs.yaml";
export const holdersFile = "spec/objects/holders.yaml";
export const logObjectsFile = "spec/objects/logs.yaml";
export const templateFile = "spec/community/template.yaml";
export const protocolFile = "spec/community/protocol_01.yaml";

/** Registers one test per fault: its code is reported at the exact line and column of the mark, and no other diagnostic is. */
export function expectDiagnostics(faults: readonly Fault[]): void {
  it.each(faults.map((fault) => [fault.wrong, fault] as const))("%s", (_, { code, contains, ...change }) => {
    const { catalog, diagnostics, places } = catalogWith(change);
    expect(catalog).toBeNull();
    expect(diagnostics.map(({ file, line, column, code }) => ({ file, line, column, code }))).toEqual(
      places.map((place) => ({ ...place, code })),
    );
    for (const part of contains) expect(diagnostics[0]?.message).toContain(part);
  });
}
