import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Database } from "../../runtime/database/database.ts";
import { factsOf } from "../queries/story.ts";
import { parseUrl, routeOf } from "./bare/routes.ts";
import type { RowCase } from "./row-case.ts";

/** The folder of the bare server's statements. */
export const statementsFolder = fileURLToPath(new URL("./statements/", import.meta.url));

/** The wallets with tens of thousands of tokens: only the collector, whose address does not depend on the size of the index. */
export const largeWallets: ReadonlySet<string> = new Set([factsOf({ seed: 1, transfers: 1 }).collector]);

/** A row's requests as parameter values for its statement. */
export const valuesOf = ({ paths }: RowCase): readonly (readonly (string | number)[])[] =>
  paths.map((path) => {
    const request = parseUrl(path, Math.floor(Date.now() / 1000));
    return routeOf(request, largeWallets)?.values(request) ?? [];
  });

/** The name of a row's statement. */
export const statementNameOf = ({ paths }: RowCase): string => routeOf(parseUrl(paths[0] ?? "", 0), largeWallets)?.statement ?? "";
/** The statement of a row. */
export const statementTextOf = (rowCase: RowCase): string =>
  readFileSync(join(statementsFolder, `${statementNameOf(rowCase)}.sql`), "utf8");

/** Writes the generic plan of a row's statement to a file next to it. */
export async function writePlan(database: Database, rowCase: RowCase): Promise<void> {
  const plan = await database.transaction(async (client) => {
    await client.query("SET LOCAL plan_cache_mode = force_generic_plan");
    const values = (valuesOf(rowCase)[0] ?? []).map((value) => (typeof value === "number" ? String(value) : `'${value}'`)).join(", ");
    await client.query(`PREPARE bench AS ${statementTextOf(rowCase)}`);
    const rows = await client.query<{ "QUERY PLAN": string }>(`EXPLAIN (ANALYZE, BUFFERS) EXECUTE bench (${values})`);
    await client.query("DEALLOCATE bench");
    return rows.map((row) => row["QUERY PLAN"]);
  });
  writeFileSync(join(statementsFolder, `${statementNameOf(rowCase)}.explain.txt`), `${plan.join("\n")}\n`);
}
