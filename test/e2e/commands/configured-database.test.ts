import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createCommandRunner } from "../../support/commands/command-line.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";

let folder: string;
let testDatabase: TestDatabase;
const { run } = createCommandRunner(() => ({ folder, url: testDatabase.url }));
/** Returns a command's exit code and output. With the environment `embedded`, it uses the embedded server instead of the test's database. */
const runToExit = async (args: readonly string[], environment: NodeJS.ProcessEnv = {}) => {
  const running = run(args, environment);
  return [await running.exited, running.output()] as const;
};
const embedded = { DATABASE_URL: "" };

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "ashlar-database-")));
  testDatabase = await createTestDatabase();
  return async () => {
    await testDatabase.drop();
    await rm(folder, { recursive: true });
  };
});

describe("a command's database", () => {
  it("is printed without its password", async () => {
    const { host, username, password, pathname } = new URL(testDatabase.url);
    const [code, output] = await runToExit(["keys", "list"]);
    expect(code).toBe(0);
    expect(output).toContain(`Database: PostgreSQL at ${host}, database ${pathname.slice(1)} as ${username}\n`);
    expect(output).not.toContain(`:${password}@`);
  });

  it.each([
    "postgresql://app:/s3cret@127.0.0.1:1/ashlar",
    "postgresql://app:12/s3cret@127.0.0.1:1/ashlar",
    "postgresql://app:12#s3cret@127.0.0.1:1/ashlar",
  ])("is printed without its address if its password has an unescaped / or #: %s", async (url) => {
    const [code, output] = await runToExit(["keys", "list"], { DATABASE_URL: url });
    expect(code).toBe(1);
    expect(output).toContain("Database: PostgreSQL (address from DATABASE_URL or databaseUrl)\n");
    expect(output).not.toContain("s3cret");
  });

  it.each([
    [["keys", "create", "--label", "one"]],
    [["audit", "--chain", "one", "--rpc", "http://127.0.0.1:1"]],
    [["nfts", "status", "--chain", "one", "--rpc", "http://127.0.0.1:1"]],
    [["prices", "rebuild", "--chain", "one", "--rpc", "http://127.0.0.1:1"]],
  ])("is not created by %j", async (args) => {
    const [code, output] = await runToExit(args, embedded);
    expect(code).toBe(1);
    expect(output).toBe(
      `No database found in ${join(folder, ".ashlar")}. Searched for ashlar.yaml and .ashlar in ${folder} and the folders above it. ` +
        "Run this command in the folder where ashlar start runs, or set ASHLAR_DATA_DIR or DATABASE_URL; ashlar start and ashlar migrate create a database.\n",
    );
    expect(await readdir(folder)).toEqual([]);
  });

  it("is in the project folder if the command runs in a subfolder", async () => {
    const project = join(folder, "project");
    const subfolder = join(project, "deploy", "scripts");
    await mkdir(subfolder, { recursive: true });
    await writeFile(join(project, "ashlar.yaml"), "port: 0\n");
    const announcement = `Database: embedded PostgreSQL in ${join(project, ".ashlar")}\n`;
    const inProject = createCommandRunner(() => ({ folder: project, url: "" }));
    const inSubfolder = createCommandRunner(() => ({ folder: subfolder, url: "" }));
    const created = inProject.run(["migrate"]);
    expect([await created.exited, created.output()]).toEqual([0, expect.stringContaining(announcement)]);
    const key = inSubfolder.run(["keys", "create", "--label", "from subfolder"]);
    expect([await key.exited, key.output()]).toEqual([0, expect.stringContaining(announcement)]);
    expect(existsSync(join(subfolder, ".ashlar"))).toBe(false);
    const list = inProject.run(["keys", "list"]);
    expect([await list.exited, list.output()]).toEqual([0, expect.stringContaining("1  from subfolder  ")]);
  });
});

describe("a data directory", () => {
  const remedy = "Set ASHLAR_DATA_DIR (or dataDirectory in ashlar.yaml) to a directory that this user may write to.\n";
  /** With the key in the environment, the demo writes no key file into the data directory. */
  const environment = { ...embedded, ASHLAR_API_KEY: "ckey_0123456789abcdef0123456789a" };

  it.each(["start", "migrate"])("is rejected by %s immediately if it is a file", async (command) => {
    const file = join(folder, "file");
    await writeFile(file, "");
    const started = Date.now();
    const [code, output] = await runToExit([command], { ...environment, ASHLAR_DATA_DIR: file });
    expect([code, output]).toEqual([1, `The data directory ${file} cannot be used: it is not a directory. ${remedy}`]);
    const [, belowOutput] = await runToExit([command], { ...environment, ASHLAR_DATA_DIR: join(file, "data") });
    expect(belowOutput).toBe(`The data directory ${join(file, "data")} cannot be used: a part of its path is a file (ENOTDIR). ${remedy}`);
    // Building the demo's story takes a minute; loading the program twice takes seconds on a busy machine.
    expect(Date.now() - started).toBeLessThan(scaleTimeLimit(40_000));
    await rm(file);
  });

  it("is rejected immediately if its path is too long", async () => {
    const longPath = join(folder, ...Array.from({ length: 10 }, () => "d".repeat(100)));
    const [code, output] = await runToExit(["start"], { ...environment, ASHLAR_DATA_DIR: longPath });
    expect(code).toBe(1);
    expect(output).toBe(
      `The data directory ${longPath.slice(0, 120)}… cannot be used: its path has ${longPath.length} bytes; the maximum is 900. ${remedy}`,
    );
  });

  it.runIf(process.platform === "linux")("is rejected immediately if it is not writable", async () => {
    for (const directory of ["/proc/ashlar", "/proc"]) {
      const [code, output] = await runToExit(["start"], { ...environment, ASHLAR_DATA_DIR: directory });
      expect([code, output]).toEqual([1, expect.stringContaining(`The data directory ${directory} cannot be used: `)]);
      expect(output).toContain(remedy);
    }
  });
});
