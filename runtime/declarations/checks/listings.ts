import { type Diagnostic, diagnostic, type SourceLocation } from "../diagnostics.ts";
import type { ContractRead, Listing } from "../protocol.ts";
import { type Checked, type Declaration, keyLocation, valueLocation } from "./declaration.ts";

/** Checks the reads that list contracts, by kind of contract. `reads` are the valid reads of the declaration. */
export function checkListings(declaration: Declaration, reads: readonly ContractRead[]): Checked<Record<string, Listing[]>> {
  const checked = Object.entries(declaration.file.contracts).map(([kind, { listedBy }]) => {
    const listings = listedBy.map((_, index) => checkListing(declaration, kind, index, reads));
    return {
      kind,
      value: listings.flatMap(({ value }) => value ?? []),
      diagnostics: [
        ...listings.flatMap(({ diagnostics }) => diagnostics),
        ...(listedBy.length === 0 ? [] : checkListedKind(declaration, kind)),
      ],
    };
  });
  return {
    value: Object.fromEntries(checked.map(({ kind, value }) => [kind, value])),
    diagnostics: checked.flatMap(({ diagnostics }) => diagnostics),
  };
}

function checkListing(declaration: Declaration, kind: string, index: number, reads: readonly ContractRead[]): Checked<Listing | null> {
  const { read = "", column } = declaration.file.contracts[kind]?.listedBy[index] ?? {};
  const path = ["contracts", kind, "listedBy", index] as const;
  const names = Object.keys(declaration.file.reads);
  if (!names.includes(read))
    return refused(diagnostic("unknown-read", valueLocation(declaration, ...path, "read"), { name: read, expected: names }));
  const found = reads.find(({ name }) => name === read);
  // The problem of the read has already been reported.
  if (found === undefined) return { value: null, diagnostics: [] };
  const location = valueLocation(declaration, ...path, column === undefined ? "read" : "column");
  const result = column === undefined ? onlyColumn(found) : found.columns.find(({ name }) => name === column);
  if (result === undefined) {
    const expected = found.columns.map(({ name }) => name);
    return refused(diagnostic("unknown-column", location, { name: column ?? "", expected }));
  }
  if (result.type !== "address" && result.type !== "address[]") {
    const data = { found: `${JSON.stringify(result.name)} of type ${result.type}`, expected: "a result of type address or address[]" };
    return refused(diagnostic("wrong-value", location, data));
  }
  return { value: { read, column: result.name }, diagnostics: [] };
}

const refused = (problem: Diagnostic): Checked<null> => ({ value: null, diagnostics: [problem] });

const onlyColumn = ({ columns }: ContractRead): ContractRead["columns"][number] | undefined =>
  columns.length === 1 ? columns[0] : undefined;

/**
 * Checks that a kind of listed contracts has no other source of contracts. When a contract is listed, its rows for earlier blocks are also written, so
 * newest rows per key shared with other contracts, and contracts that it announces, would have to be recomputed from those blocks on.
 */
function checkListedKind(declaration: Declaration, kind: string): Diagnostic[] {
  const { contracts, tables } = declaration.file;
  const { networks = {}, discoveredBy = [] } = contracts[kind] ?? {};
  const conflict = (location: SourceLocation, found: string, expected: string): Diagnostic =>
    diagnostic("listed-contracts", location, { kind, found, expected });
  return [
    ...(Object.keys(networks).length === 0
      ? []
      : [conflict(keyLocation(declaration, "contracts", kind, "networks"), "networks", "another kind for contracts at fixed addresses")]),
    ...(discoveredBy.length === 0
      ? []
      : [
          conflict(
            keyLocation(declaration, "contracts", kind, "discoveredBy"),
            "discoveredBy",
            "another kind for contracts that events announce",
          ),
        ]),
    ...Object.entries(tables).flatMap(([name, table]) =>
      table.contract === kind && table.latestBy !== undefined
        ? [conflict(keyLocation(declaration, "tables", name, "latestBy"), "latestBy of a table of its events", "a table without it")]
        : [],
    ),
    ...Object.entries(contracts).flatMap(([other, { discoveredBy: announcements }]) =>
      announcements.flatMap(({ contract }, index) =>
        contract === kind
          ? [
              conflict(
                valueLocation(declaration, "contracts", other, "discoveredBy", index, "contract"),
                `contracts of ${other} that its events announce`,
                "a kind that no read lists",
              ),
            ]
          : [],
      ),
    ),
  ];
}
