import { expect, it } from "vitest";
import type { DiagnosticCode } from "../../../../generator/catalog/diagnostics.ts";
import { type Change, catalogWith } from "../../../support/generator/catalog/small-catalog.ts";

/** A change that makes the catalog invalid, its only diagnostic, and parts of the message. */
export interface InvalidCase extends Change {
  readonly title: string;
  readonly code: DiagnosticCode;
  readonly contains: readonly string[];
}

export const serviceFile = "spec/service.yaml";
export const tokensFile = "spec/endpoints/tokens.yaml";
export const logsFile = "spec/endpoints/logs.yaml";
export const holdersFile = "spec/objects/holders.yaml";
export const logObjectsFile = "spec/objects/logs.yaml";
export const templateFile = "spec/community/template.yaml";
export const protocolFile = "spec/community/protocol_01/protocol.yaml";

/** Registers one test per case: its code is reported at the exact line and column of the mark, and there is no other diagnostic. */
export function expectDiagnostics(cases: readonly InvalidCase[]): void {
  it.each(cases.map((entry) => [entry.title, entry] as const))("reports %s", (_, { code, contains, ...change }) => {
    const { catalog, diagnostics, locations } = catalogWith(change);
    expect(catalog).toBeNull();
    expect(diagnostics.map(({ file, line, column, code: reported }) => ({ file, line, column, code: reported }))).toEqual(
      locations.map((location) => ({ ...location, code })),
    );
    for (const part of contains) expect(diagnostics[0]?.message).toContain(part);
  });
}
