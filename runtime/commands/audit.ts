import { stdout } from "node:process";
import type { Config } from "../config/config.ts";
import { databaseNameOfOnlyChain } from "../config/database-config.ts";
import { nativeBalancesSubject } from "../domains/tokens/jobs/audit-balances.ts";
import { nativeBalancesChangedWarning, nativeBalancesDifferWarning } from "../indexer/errors.ts";
import { readChain } from "../indexer/storage/chain-record.ts";
import { recordAudit } from "../operator/last-audit.ts";
import { loadProtocols } from "../protocols.ts";
import { commandActor } from "./actor.ts";
import { auditChain, auditHeightOf } from "./audit-chain.ts";
import { requireDatabase } from "./configured-database.ts";
import { openChainDatabase } from "./open-chain-database.ts";
import { renderAudit } from "./render-audit.ts";
import { resolveOnlyEvmChain } from "./resolve-only-evm-chain.ts";

export interface AuditOptions {
  /** How many values of each kind to compare. */
  readonly sample: number;
  /** The block whose state is compared; the indexed head by default. */
  readonly at?: number | undefined;
}

/** `ashlar audit`: compares a chain's index with its node, prints a table, and returns whether there are no differences. */
export async function audit(config: Config, options: AuditOptions): Promise<boolean> {
  requireDatabase(config);
  const database = await openChainDatabase(config, databaseNameOfOnlyChain(config));
  try {
    const chain = await resolveOnlyEvmChain(config, database.indexing);
    const height = await auditHeightOf(database.indexing, chain, options.at);
    const rows = await auditChain(database.indexing, chain, loadProtocols(config).protocols, height, options.sample);
    stdout.write(renderAudit(chain.name, height, rows));
    if (rows.some(({ subject, differences }) => subject === nativeBalancesSubject && differences.length > 0)) {
      const record = await readChain(database.indexing, chain.id);
      stdout.write(
        `${record?.nativeAccounting === "state" ? nativeBalancesChangedWarning(chain.name) : nativeBalancesDifferWarning(chain.name)}\n`,
      );
    }
    const differences = rows.reduce((sum, row) => sum + row.differences.length, 0);
    const compared = rows.reduce((sum, row) => sum + row.comparedCount, 0);
    await recordUnlessReadOnly(
      recordAudit(database.actionLog ?? database.indexing, chain.name, { block: height, compared, differences }, commandActor()),
    );
    return differences === 0;
  } finally {
    await database.close();
  }
}

/** SQLSTATE read_only_sql_transaction: a standby cannot store the result. */
const readOnlyCode = "25006";

async function recordUnlessReadOnly(recording: Promise<void>): Promise<void> {
  try {
    await recording;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === readOnlyCode)) throw error;
    stdout.write("The result was not recorded: the database is read-only.\n");
  }
}
