import { checkContracts } from "./checks/contracts.ts";
import type { Checked, Declaration } from "./checks/declaration.ts";
import { checkLending } from "./checks/lending.ts";
import { checkListings } from "./checks/listings.ts";
import { checkOperations, type OperationScope } from "./checks/operations.ts";
import { checkReads } from "./checks/reads.ts";
import { checkTables } from "./checks/tables.ts";
import type { Protocol } from "./protocol.ts";

/** Checks a declaration with a valid shape, and its SQL; the protocol is null if there are diagnostics. */
export function checkProtocol(declaration: Declaration, scope: OperationScope): Checked<Protocol | null> {
  const { protocol: id, name, description, chainKind, version } = declaration.file;
  const tables = checkTables(declaration);
  // Reads refer to columns of tables, which are known only if all tables are valid.
  const reads = checkReads(declaration, tables.diagnostics.length > 0 ? [] : tables.value);
  const listings = checkListings(declaration, reads.value);
  const contracts = checkContracts(declaration, listings.value);
  const operations = checkOperations(declaration, scope);
  const lending = checkLending(declaration, scope.queries);
  const diagnostics = [contracts, tables, reads, listings, operations, lending].flatMap((part) => part.diagnostics);
  if (diagnostics.length > 0) return { value: null, diagnostics };
  const value = {
    id,
    name,
    description,
    chainKind,
    version,
    contracts: contracts.value,
    tables: tables.value,
    reads: reads.value,
    operations: operations.value,
    lending: lending.value,
  };
  return { value, diagnostics };
}
