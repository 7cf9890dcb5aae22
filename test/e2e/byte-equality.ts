/**
 * Compares two commits' responses byte by byte, for every live operation with each parameter once, as JSON and as CSV.
 *
 *   node --import tsx test/e2e/byte-equality.ts OLD_CHECKOUT NEW_CHECKOUT DATA_FOLDER
 *
 * Both checkouts must have their dependencies installed. DATA_FOLDER must contain the demo from the old commit's `ashlar start` and must not be in
 * use; it is copied. The old commit serves its database, the new one a migrated copy; both use the demo's node, which mines no blocks. Prints every
 * difference, and exits with 1 if a body, a status or a content type differs. Error messages may change and are counted separately.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Demo, DemoOptions } from "../../demo/types.ts";
import { buildModel } from "../../generator/model/build-model.ts";
import type { Operation, Parameter } from "../../generator/model/model.ts";
import { createDatabase } from "../../runtime/database/database.ts";
import { startEmbedded } from "../../runtime/database/embedded.ts";
import { requestOf } from "../contract/request-cases.ts";
import { valuesOf } from "../contract/values.ts";
import { exampleOf, type StoryValues } from "../support/contract/examples.ts";
import { databaseUrl } from "../support/database-url.ts";
import { realCatalog } from "../support/generator/model/catalogs.ts";

/** Fields that depend on the time of the request. */
const volatileFields = ["updated_at", "update_at", "node_seen_at"];

interface ServedResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly errorMessage: string | null;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** The Host header for requests to both servers; links in responses contain it. */
const host = "ashlar.example";

const get = async (port: number, path: string, key: string): Promise<ServedResponse> => {
  const sent = request({ port, path, headers: { host, authorization: `Bearer ${key}` } });
  sent.end();
  const [response] = await once(sent, "response");
  let body = "";
  for await (const part of response.setEncoding("utf8")) body += part;
  for (const field of volatileFields) body = body.replaceAll(new RegExp(`"${field}":("[^"]*"|\\d+)`, "g"), `"${field}":null`);
  const message = /"error_message":("(?:[^"\\]|\\.)*")/.exec(body)?.[1] ?? null;
  return {
    status: response.statusCode,
    contentType: response.headers["content-type"] ?? "",
    body: message === null ? body : body.replace(message, "null"),
    errorMessage: message,
  };
};

/** The requests for an operation: its documented example, the example with each accepted value of each parameter, and all of these as CSV. */
const targetsOf = (operation: Operation, storyValues: StoryValues): string[] => {
  const example = Object.fromEntries(Object.entries(exampleOf(operation, storyValues)).map(([name, value]) => [name, [value]]));
  const companionsOf = (parameter: Parameter) =>
    Object.fromEntries(
      operation.rules
        .flatMap((rule) => (rule.kind === "together" && rule.parameters.includes(parameter) ? rule.parameters : []))
        .filter((other) => other !== parameter && !(other.name in example))
        .map(({ name, example: value }) => [name, [String(value)]]),
    );
  const cases = operation.parameters
    .filter(({ name }) => name !== "chainName")
    .flatMap((parameter) =>
      [...new Set([String(parameter.example), ...valuesOf(parameter).valid])].map((value) => ({
        ...companionsOf(parameter),
        [parameter.name]: [value],
      })),
    );
  const json = [{}, ...cases].map((values) => requestOf(operation, { values: { ...example, ...values } }).target);
  const hasCsv = operation.parameters.some(({ name }) => name === "format");
  return [
    ...new Set([
      ...json,
      ...(hasCsv
        ? json.filter((target) => !target.includes("format=")).map((target) => `${target}${target.includes("?") ? "&" : "?"}format=csv`)
        : []),
    ]),
  ];
};

/** Starts the old commit's demo, because another commit would rebuild the chain. */
const startOldDemo = async (checkout: string, dataDirectory: string): Promise<Demo> => {
  const path = ["demo/start-demo.ts", "runtime/demo/start-demo.ts"].map((name) => join(checkout, name)).find(existsSync);
  if (path === undefined) throw new Error(`No start-demo.ts in ${checkout}`);
  const { startDemo } = (await import(pathToFileURL(path).href)) as { startDemo(options: DemoOptions): Promise<Demo> };
  return startDemo({ dataDirectory });
};

const serve = async (
  checkout: string,
  configFile: string,
  url: string,
): Promise<{ readonly child: ChildProcess; readonly port: number }> => {
  const child = spawn(process.execPath, [join(checkout, "bin/ashlar.js"), "serve", "--config", configFile], {
    env: { ...process.env, DATABASE_URL: url, HOST: "127.0.0.1", PORT: "0" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const port = await new Promise<number>((resolvePort, reject) => {
    const read = (part: Buffer) => {
      output += part.toString();
      const match = /http:\/\/127\.0\.0\.1:(\d+)/.exec(output);
      if (match !== null) resolvePort(Number(match[1]));
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`ashlar serve of ${checkout} exited with code ${code}: ${output}`)));
  });
  return { child, port };
};

const [oldCheckout = "", newCheckout = "", dataDirectory = ""] = process.argv.slice(2).map((path) => resolve(path));
if (dataDirectory === "") throw new Error("Expected three folders: OLD_CHECKOUT NEW_CHECKOUT DATA_FOLDER");
const scratch = await mkdtemp(join(tmpdir(), "ashlar-byte-equality-"));
await cp(dataDirectory, scratch, { recursive: true, preserveTimestamps: true, filter: (path) => !path.endsWith(".sock") });
const demo = await startOldDemo(oldCheckout, scratch);
// Versions up to 0.2 call the values `cast`.
const storyValues = demo.story.values ?? (demo.story as unknown as { readonly cast: StoryValues }).cast;
const embedded = await startEmbedded({ dataDirectory: scratch });
const servers: ChildProcess[] = [];
try {
  const admin = createDatabase({
    url: databaseUrl(embedded.url, "postgres"),
    poolSize: 1,
    statementTimeoutMilliseconds: 0,
    applicationName: "ashlar-byte-equality",
  });
  const oldName = new URL(embedded.url).pathname.slice(1);
  await admin.query(`CREATE DATABASE byte_equality TEMPLATE ${oldName}`);
  await admin.close();
  const newUrl = databaseUrl(embedded.url, "byte_equality");
  const configFile = join(scratch, "byte-equality.yaml");
  await writeFile(configFile, JSON.stringify({ chains: [demo.chain], limits: { requestsPerSecond: 100_000 } }));
  execFileSync(process.execPath, [join(newCheckout, "bin/ashlar.js"), "migrate", "--config", configFile], {
    env: { ...process.env, DATABASE_URL: newUrl },
    stdio: "inherit",
  });
  const key = process.env.ASHLAR_API_KEY ?? (await readFile(join(dataDirectory, "demo-key"), "utf8")).trim();
  const [before, after] = await Promise.all([serve(oldCheckout, configFile, embedded.url), serve(newCheckout, configFile, newUrl)]);
  servers.push(before.child, after.child);

  const model = buildModel(await realCatalog(), new Map());
  const live = model.operations.filter(({ status }) => status === "live");
  const counts = { operations: live.length, requests: 0, json: 0, csv: 0, refused: 0, different: 0 };
  const changedMessages = new Map<string, string>();
  for (const operation of live) {
    for (const target of targetsOf(operation, storyValues)) {
      const [oldResponse, newResponse] = await Promise.all([get(before.port, target, key), get(after.port, target, key)]);
      counts.requests += 1;
      if (oldResponse.status >= 400) counts.refused += 1;
      else if (oldResponse.contentType.startsWith("text/csv")) counts.csv += 1;
      else counts.json += 1;
      if (oldResponse.errorMessage !== newResponse.errorMessage)
        changedMessages.set(`${operation.id}: ${oldResponse.errorMessage}`, `${newResponse.errorMessage} (${target})`);
      if (
        oldResponse.status === newResponse.status &&
        oldResponse.contentType === newResponse.contentType &&
        oldResponse.body === newResponse.body
      )
        continue;
      counts.different += 1;
      const firstDifference = [...oldResponse.body].findIndex((character, index) => character !== newResponse.body[index]);
      print(
        `DIFFERENT ${operation.id} ${target}\n  status ${oldResponse.status} ${newResponse.status}; ${oldResponse.contentType} | ${newResponse.contentType}`,
      );
      const excerptOf = (body: string): string => body.slice(Math.max(0, firstDifference - 80), firstDifference + 200);
      print(`  old …${excerptOf(oldResponse.body)}\n  new …${excerptOf(newResponse.body)}`);
    }
  }
  for (const [oldMessage, newMessage] of changedMessages) print(`MESSAGE ${oldMessage}\n     -> ${newMessage}`);
  print(JSON.stringify({ ...counts, changedMessages: changedMessages.size }));
  if (counts.different > 0) process.exitCode = 1;
} finally {
  for (const child of servers) {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
  await demo.stop();
  await embedded.stop();
  await rm(scratch, { recursive: true, force: true });
}
