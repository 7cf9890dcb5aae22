import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { descendantsOf, isGone } from "../../e2e/start/service-process.ts";
import { query } from "../../support/database/embedded-fixture.ts";
import { adapt, documentedExample } from "../../support/documented-example.ts";
import { freePort } from "../../support/free-port.ts";
import { until } from "../../support/until.ts";
import type { FailoverCluster } from "./failover-cluster.ts";

const page = "operations/high-availability.md";
/** PostgreSQL refuses to run as root. */
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const programs = ["patroni", "etcd", "haproxy"];
const postgres = "/usr/lib/postgresql/15/bin/postgres";

/** The required programs that are not installed; npm packages cannot provide them. */
export const missingPrograms = (): string[] => [
  ...programs.filter((name) => spawnSync(name, ["--version"], { stdio: "ignore" }).error !== undefined),
  ...(existsSync(postgres) ? [] : ["postgresql-15"]),
];

interface Program {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  output(): string;
}

function run(
  name: string,
  args: readonly string[],
  folder: string,
  options: { readonly uid?: number; readonly gid?: number } = {},
): Program {
  const child = spawn(name, [...args], {
    cwd: folder,
    env: { ...process.env, HOME: folder },
    stdio: ["ignore", "pipe", "pipe"],
    ...options,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part: Buffer) => {
      output = `${output}${part.toString()}`.slice(-20_000);
    });
  return { child, exited: once(child, "exit"), output: () => output };
}

/** One machine in the cluster. */
interface Machine {
  readonly name: string;
  readonly folder: string;
  readonly port: number;
  readonly restPort: number;
  patroni: Program;
}

const postmasterOf = ({ folder }: Machine): number => Number(readFileSync(join(folder, "data", "postmaster.pid"), "utf8").split("\n")[0]);
const hasRole = async ({ restPort }: Machine, role: "primary" | "replica"): Promise<boolean> =>
  (await fetch(`http://127.0.0.1:${restPort}/${role}`, { signal: AbortSignal.timeout(2_000) }).catch(() => null))?.ok === true;

/** Writes the documented server configuration with this server's name, addresses and paths. */
async function configure({ name, folder, port, restPort }: Omit<Machine, "patroni">, etcdPort: number): Promise<void> {
  const example = adapt(await documentedExample(page, "yaml", "# /etc/patroni/config.yml"), {
    "name: db1": `name: ${name}`,
    "10.0.0.11:2379,10.0.0.12:2379,10.0.0.13:2379": `127.0.0.1:${etcdPort}`,
    "10.0.0.11:8008": `127.0.0.1:${restPort}`,
    "10.0.0.11:5432": `127.0.0.1:${port}`,
    "10.0.0.0/24": "127.0.0.1/32",
    "/var/lib/postgresql/15/ashlar": join(folder, "data"),
    "/var/lib/postgresql/patroni.pgpass": join(folder, "pgpass"),
    "/var/run/postgresql": folder,
  });
  await writeFile(join(folder, "config.yml"), example);
}

const startPatroni = ({ folder }: Omit<Machine, "patroni">): Program => run("patroni", [join(folder, "config.yml")], folder, account);

/** Runs the documented Patroni and HAProxy examples with two PostgreSQL servers and one etcd. */
export async function startPatroniCluster(): Promise<FailoverCluster> {
  const folder = await mkdtemp(join(tmpdir(), "ashlar-patroni-"));
  await chmod(folder, 0o755);
  const [etcdPort, peerPort, balancerPort] = [await freePort(), await freePort(), await freePort()];
  const clientUrl = `http://127.0.0.1:${etcdPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const etcdArguments = [
    ...["--name", "etcd", "--data-dir", join(folder, "etcd"), "--listen-client-urls", clientUrl, "--advertise-client-urls", clientUrl],
    ...["--listen-peer-urls", peerUrl, "--initial-advertise-peer-urls", peerUrl, "--initial-cluster", `etcd=${peerUrl}`],
  ];
  const etcd = run("etcd", etcdArguments, folder);
  await until("etcd", async () => (await fetch(`${clientUrl}/health`).catch(() => null))?.ok === true, 20_000);
  const machines: Machine[] = [];
  for (const name of ["db1", "db2"]) {
    const settings = { name, folder: join(folder, name), port: await freePort(), restPort: await freePort() };
    mkdirSync(settings.folder, { mode: 0o700 });
    if (account.uid !== undefined) chownSync(settings.folder, account.uid, account.gid);
    await configure(settings, etcdPort);
    const machine = { ...settings, patroni: startPatroni(settings) };
    machines.push(machine);
    const role = machines.length === 1 ? "primary" : "replica";
    await until(`${name} to be the ${role}`, () => hasRole(machine, role), 60_000).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${machine.patroni.output()}`);
    });
  }
  const [first, second] = machines;
  if (first === undefined || second === undefined) throw new Error("Expected two machines.");

  const balancerFile = join(folder, "haproxy.cfg");
  const balancerConfig = adapt(await documentedExample(page, "haproxy"), {
    "127.0.0.1:5000": `127.0.0.1:${balancerPort}`,
    "10.0.0.11:5432 check port 8008": `127.0.0.1:${first.port} check port ${first.restPort}`,
    "10.0.0.12:5432 check port 8008": `127.0.0.1:${second.port} check port ${second.restPort}`,
  });
  await writeFile(balancerFile, balancerConfig);
  const balancer = run("haproxy", ["-f", balancerFile], folder);
  const superuser = `postgresql://postgres:superuser-password@127.0.0.1:${first.port}/postgres`;
  for (const statement of (await documentedExample(page, "sql")).split(";\n").filter((text) => text.trim() !== ""))
    await query(superuser, statement);
  const settings = parse(
    adapt(await documentedExample(page, "yaml", "# ashlar.yaml"), {
      "127.0.0.1:5000": `127.0.0.1:${balancerPort}`,
      "10.0.0.11:5432": `127.0.0.1:${first.port}`,
      "10.0.0.12:5432": `127.0.0.1:${second.port}`,
    }),
  ) as FailoverCluster["settings"];
  const standbyOf = (url: string) => query(url, "SELECT pg_is_in_recovery() AS standby").catch(() => []);
  const isPrimary = (rows: readonly object[]): boolean => isDeepStrictEqual(rows, [{ standby: false }]);
  await until("the standby to have the roles", async () => (await Promise.all(settings.readUrls.map(standbyOf))).flat().length === 2);
  // Before its first checks, the load balancer also connects to the standby.
  await until("the load balancer to connect only to the primary", async () =>
    (await Promise.all(Array.from({ length: 4 }, () => standbyOf(settings.databaseUrl)))).every(isPrimary),
  );

  let killed = first;
  let isPatroniLost = false;
  const otherThan = (machine: Machine): Machine => (machine === first ? second : first);
  return {
    settings,
    async failPrimary(failure) {
      if (failure === "network") throw new RangeError("A failure of the network cannot be simulated in this cluster.");
      isPatroniLost = failure === "machine";
      killed = (await hasRole(first, "primary")) ? first : second;
      const postmaster = postmasterOf(killed);
      const patroni = isPatroniLost ? [killed.patroni.child.pid ?? 0] : [];
      const processes = [...patroni, postmaster, ...descendantsOf(postmaster)];
      for (const pid of processes) process.kill(pid, "SIGKILL");
      await until("the processes of the server to exit", () => processes.every(isGone));
    },
    waitForPromotion: () => until("the standby to be promoted", () => hasRole(otherThan(killed), "primary"), 60_000),
    async recoverPrimary() {
      if (isPatroniLost) killed.patroni = startPatroni(killed);
      await until("the former primary to be a replica", () => hasRole(killed, "replica"), 60_000);
      return settings.readUrls.find((url) => url.includes(`:${killed.port}/`)) ?? "";
    },
    async stop() {
      for (const program of [balancer, ...machines.map(({ patroni }) => patroni), etcd]) {
        if (program.child.exitCode === null && program.child.signalCode === null) program.child.kill("SIGTERM");
        await program.exited;
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}
