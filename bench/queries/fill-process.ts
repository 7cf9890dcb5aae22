import { createDatabase } from "../../runtime/database/database.ts";
import { answer, argumentOf } from "../support/measured-process.ts";
import { type FillOptions, fillTables } from "./fill.ts";
import { withoutIndexes } from "./without-indexes.ts";

const { databaseUrl, ...options } = argumentOf<FillOptions & { readonly databaseUrl: string }>();
const database = createDatabase({ url: databaseUrl, poolSize: 3, statementTimeoutMilliseconds: 0, applicationName: "ashlar-bench" });
await withoutIndexes(database, () => fillTables(database, options));
await database.query("VACUUM ANALYZE");
await database.close();
answer({});
