import { serve } from "@hono/node-server";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { Hono } from "hono";
import pg from "pg";

// Serves endpoints as Ponder does, with Hono on Node.js and drizzle. Statements and JSON are those of the bare server.
const { databaseUrl, poolSize, statements, routes, largeWallets } = JSON.parse(process.argv[2]);
const { parseUrl, routeOf } = await import(routes);
const largeWalletSet = new Set(largeWallets);
const pool = new pg.Pool({ connectionString: databaseUrl, max: poolSize });
const database = drizzle(pool);

/** The texts between the placeholders of each statement, and the positions of the values in between. */
const parsed = new Map(
  Object.entries(statements).map(([name, text]) => {
    const parts = text.split(/\$(\d+)/);
    return [
      name,
      {
        texts: parts.filter((_, index) => index % 2 === 0).map((part) => sql.raw(part)),
        positions: parts.filter((_, index) => index % 2 === 1).map((number) => Number(number) - 1),
      },
    ];
  }),
);

function queryOf({ texts, positions }, values) {
  const query = sql.empty();
  texts.forEach((text, index) => {
    query.append(text);
    if (index < positions.length) query.append(sql`${values[positions[index]]}`);
  });
  return query;
}

const app = new Hono();
app.get("*", async (context) => {
  const request = parseUrl(context.req.url.slice(context.req.url.indexOf("/v1/")), Math.floor(Date.now() / 1000));
  const route = routeOf(request, largeWalletSet);
  const statement = parsed.get(route?.statement);
  if (statement === undefined) return context.json({}, 404);
  const { rows } = await database.execute(queryOf(statement, route.values(request)));
  const body = route.body(
    rows.map((row) => Object.values(row)),
    request,
  );
  return context.body(body, 200, { "Content-Type": "application/json; charset=utf-8" });
});

const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => {
  process.stdout.write(`The server of Ponder's libraries is listening at http://127.0.0.1:${port};\n`);
});
server.keepAliveTimeout = 65_000;
process.once("SIGTERM", () => process.exit(0));
