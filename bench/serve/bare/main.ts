import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { readArgument } from "../../support/measured-process.ts";
import type { Row } from "./route.ts";
import { parseUrl, routeOf, statementNames } from "./routes.ts";

/** Settings of the bare server. */
export interface BareArgument {
  readonly databaseUrl: string;
  readonly poolSize: number;
  /** The folder of the statements. */
  readonly statements: string;
  readonly largeWallets: readonly string[];
}

const { databaseUrl, poolSize, statements, largeWallets } = readArgument<BareArgument>();
const largeWalletSet = new Set(largeWallets);
const pool = new pg.Pool({
  connectionString: databaseUrl,
  max: poolSize,
  // Values remain text.
  types: { getTypeParser: () => (value: string) => value },
  // The statements have the same best plan for all values, so they are planned once.
  options: "-c plan_cache_mode=force_generic_plan",
});
const texts = new Map(statementNames.map((name) => [name, readFileSync(join(statements, `${name}.sql`), "utf8")]));

async function respond(url: string): Promise<string | null> {
  const request = parseUrl(url, Math.floor(Date.now() / 1000));
  const route = routeOf(request, largeWalletSet);
  if (route === undefined) return null;
  const { statement: name } = route;
  const { rows } = await pool.query<string[]>({ name, text: texts.get(name) ?? "", values: [...route.values(request)], rowMode: "array" });
  return route.body(rows satisfies readonly Row[], request);
}

const server = createServer((request, response) => {
  respond(request.url ?? "/").then(
    (body) => {
      const sent = body ?? "{}";
      const headers = { "Content-Type": "application/json; charset=utf-8", "Content-Length": Buffer.byteLength(sent) };
      response.writeHead(body === null ? 404 : 200, headers).end(sent);
    },
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      response.writeHead(500, { "Content-Length": 0 }).end();
    },
  );
});
server.keepAliveTimeout = 65_000;
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`The bare server is listening at http://127.0.0.1:${port};\n`);
});
process.once("SIGTERM", () => process.exit(0));
