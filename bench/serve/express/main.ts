import { readFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import express, { type NextFunction, type Request, type Response } from "express";
import { middleware } from "express-openapi-validator";
import knex from "knex";
import { readArgument } from "../../support/measured-process.ts";
import { parseUrl, routeOf, statementNames } from "../bare/routes.ts";

/** Settings of the Express server. */
export interface ExpressArgument {
  readonly databaseUrl: string;
  readonly poolSize: number;
  /** The folder of the bare server's statements. */
  readonly statements: string;
  /** The file with an OpenAPI document for its operations. */
  readonly document: string;
  readonly largeWallets: readonly string[];
}

const { databaseUrl, poolSize, statements, document, largeWallets } = readArgument<ExpressArgument>();
const largeWalletSet = new Set(largeWallets);
const database = knex({
  client: "pg",
  // Values remain text.
  connection: { connectionString: databaseUrl, types: { getTypeParser: () => (value: string) => value } },
  pool: { min: 0, max: poolSize },
});

/** A statement's text with knex's placeholders, and the positions of its values. */
function statementOf(name: string): { readonly text: string; readonly positions: readonly number[] } {
  const text = readFileSync(join(statements, `${name}.sql`), "utf8").replace(/^--.*\n/gm, "");
  return {
    text: text.replace(/\$\d+/g, "?"),
    positions: [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number) - 1),
  };
}
const texts = new Map(statementNames.map((name) => [name, statementOf(name)]));

async function respond(request: Request, response: Response): Promise<void> {
  const parsed = parseUrl(request.originalUrl, Math.floor(Date.now() / 1000));
  const route = routeOf(parsed, largeWalletSet);
  const statement = texts.get(route?.statement ?? "");
  if (route === undefined || statement === undefined) {
    response.status(404).json({});
    return;
  }
  const values = route.values(parsed);
  const bindings = statement.positions.map((position) => values[position] ?? "");
  const { rows }: { rows: (string | null)[][] } = await database.raw(statement.text, bindings).options({ rowMode: "array" });
  response.type("json").send(route.body(rows, parsed));
}

const app = express();
app.use(
  middleware({
    apiSpec: document,
    validateApiSpec: false,
    validateRequests: true,
    validateResponses: false,
    validateSecurity: false,
  }),
);
app.use(respond);
app.use((error: Error & { status?: number }, _request: Request, response: Response, _next: NextFunction) => {
  if (error.status === undefined) process.stderr.write(`${String(error)}\n`);
  response.status(error.status ?? 500).json({ error: true, error_message: error.message });
});
const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`The Express server is listening at http://127.0.0.1:${port};\n`);
});
server.keepAliveTimeout = 65_000;
process.once("SIGTERM", () => process.exit(0));
