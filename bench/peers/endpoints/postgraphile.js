import { createServer } from "node:http";
import { postgraphile } from "postgraphile";
import { makePgService } from "postgraphile/adaptors/pg";
import { grafserv } from "postgraphile/grafserv/node";
import { PostGraphileAmberPreset } from "postgraphile/presets/amber";

// Serves the functions of a schema as GraphQL.
const { databaseUrl, poolSize, schema } = JSON.parse(process.argv[2]);
const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: databaseUrl, schemas: [schema], poolConfig: { max: poolSize } })],
  grafast: { explain: false },
  grafserv: { watch: false, graphiql: false },
});
const server = createServer();
server.keepAliveTimeout = 65_000;
await instance.createServ(grafserv).addTo(server);
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`PostGraphile is listening at http://127.0.0.1:${server.address().port};\n`);
});
process.once("SIGTERM", () => process.exit(0));
