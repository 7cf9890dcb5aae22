import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/until.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../../..", import.meta.url));

/** A Dockerfile stage with a folder as its root directory. */
interface Stage {
  readonly root: string;
  workingFolder: string;
  readonly environment: Record<string, string>;
  /** Instructions for containers, by name. */
  readonly forContainers: Record<string, string>;
}

/** Maps a path in a stage to this machine. */
const pathIn = ({ root, workingFolder }: Stage, path: string): string =>
  join(root, path.startsWith("/") ? path : join(workingFolder, path));

/** Copies files from the repository, or from the stage that `--from` names, as COPY does. */
async function copy(stages: ReadonlyMap<string, Stage>, stage: Stage, value: string): Promise<void> {
  const [, from, list = ""] = /^(?:--from=(\w+) )?(.*)$/.exec(value) ?? [];
  const paths = list.split(" ");
  const target = paths.pop() ?? "";
  const source = from === undefined ? repository : (stages.get(from)?.root ?? "");
  for (const path of paths) {
    await cp(join(source, path), pathIn(stage, target.endsWith("/") ? join(target, basename(path)) : target), { recursive: true });
  }
}

/**
 * Executes a Dockerfile's instructions in folders, because a container engine may be missing. This machine and its user replace the base image.
 * Returns the last stage. @throws {Error} for an unknown instruction.
 */
async function build(dockerfile: string, folder: string): Promise<Stage> {
  const stages = new Map<string, Stage>();
  let stage: Stage = { root: folder, workingFolder: "/", environment: {}, forContainers: {} };
  const instructions: Readonly<Record<string, (value: string) => unknown>> = {
    FROM: (value) => {
      const name = / AS (\w+)$/.exec(value)?.[1] ?? "last";
      stage = { root: join(folder, name), workingFolder: "/", environment: {}, forContainers: {} };
      stages.set(name, stage);
    },
    WORKDIR: (value) => {
      stage.workingFolder = value;
      return mkdir(pathIn(stage, "."), { recursive: true });
    },
    ENV: (value) => Object.assign(stage.environment, Object.fromEntries(value.split(" ").map((pair) => pair.split("=")))),
    COPY: (value) => copy(stages, stage, value),
    RUN: (value) =>
      run("sh", ["-c", value], { cwd: pathIn(stage, "."), env: { PATH: process.env.PATH, HOME: folder, ...stage.environment } }),
  };
  for (const line of dockerfile.replaceAll("\\\n", "").split("\n")) {
    const [, name = "", value = ""] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    if (instructions[name] !== undefined) await instructions[name](value);
    else if (/^(USER|EXPOSE|HEALTHCHECK|ENTRYPOINT|CMD)$/.test(name)) stage.forContainers[name] = value;
    else if (line !== "" && !line.startsWith("#")) throw new Error(`Unknown instruction: ${line}`);
  }
  return stage;
}

let folder: string;
let testDatabase: TestDatabase;
let image: Stage;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ashlar-image-"));
  testDatabase = await createTestDatabase();
  image = await build(await readFile(join(repository, "deploy/docker/Dockerfile"), "utf8"), folder);
});
afterAll(async () => {
  await testDatabase?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** An instruction's arguments in exec form, with the image's program paths replaced by paths on this machine. */
const argumentsOf = (text = ""): string[] =>
  (JSON.parse(text.slice(text.indexOf("["))) as string[]).map((part) => part.replace(/^(?=\/opt\/)/, image.root));

test("the image's program serves a database and passes its health check", async () => {
  const port = await freePort();
  const environment = { PATH: process.env.PATH, ...image.environment, HOST: "127.0.0.1", PORT: `${port}`, DATABASE_URL: testDatabase.url };
  const [command = "", ...entry] = argumentsOf(image.forContainers.ENTRYPOINT);
  const [checkCommand = "", ...check] = argumentsOf(image.forContainers.HEALTHCHECK);
  const isHealthy = (): boolean => spawnSync(checkCommand, check, { env: environment }).status === 0;
  expect(isHealthy()).toBe(false);
  const server = spawn(
    command,
    [...entry, ...argumentsOf(image.forContainers.CMD), "--chain", "eth-mainnet", "--rpc", "http://127.0.0.1:9"],
    {
      cwd: join(image.root, image.workingFolder),
      env: environment,
    },
  );
  let output = "";
  for (const stream of [server.stdout, server.stderr]) stream.on("data", (part: Buffer) => (output += part.toString()));
  const exited = once(server, "exit");
  try {
    await until("the server to be healthy", () => {
      if (server.exitCode !== null) throw new Error(`The server exited with code ${server.exitCode}: ${output}`);
      return isHealthy();
    });
    // The image includes the console's pages and the documents.
    expect((await fetch(`http://127.0.0.1:${port}/openapi.json`)).status).toBe(200);
  } finally {
    server.kill("SIGTERM");
    await exited;
  }
});
