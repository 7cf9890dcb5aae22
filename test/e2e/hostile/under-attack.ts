import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createKeys } from "../../../runtime/http/keys.ts";
import { createTestDatabase } from "../../support/database.ts";
import { startServer } from "../../support/server-process.ts";
import type { AttackName, Start } from "./attacker.ts";
import { hostileNames } from "./attacks/hostile-names.ts";
import { chain, fillIndex, ordinaryWallets, storeTokenNames } from "./fixture.ts";
import { type LoopFigures, monitorEnvironment, readLoop, startControl } from "./loop-delay.ts";
import { type Latencies, openProbe } from "./probe.ts";

/** Measurements during an attack. */
export interface Figures {
  readonly balances: Latencies;
  readonly health: Latencies;
  readonly server: LoopFigures;
  /** An idle process's loop at the same time. */
  readonly control: LoopFigures;
  /** The attacker's response statuses and connection errors. */
  readonly outcomes: Readonly<Record<string, number>>;
}

/** A server with default settings in a separate process, on an index with large wallets and tokens. */
export interface AttackedServer {
  /** Measures another key's requests, and the server, while an attack runs; null for no attack. */
  measure(attack: AttackName | null, milliseconds: number): Promise<Figures>;
  output(): string;
  stop(): Promise<void>;
}

const attackerScript = fileURLToPath(new URL("./attacker.ts", import.meta.url));

/** Starts an attack in a separate process; the returned function stops it and returns its outcomes. */
async function startAttack(start: Start): Promise<() => Promise<Figures["outcomes"]>> {
  const child: ChildProcess = fork(attackerScript, { execArgv: ["--import", "tsx"], env: { ...process.env, NODE_OPTIONS: "" } });
  child.send(start);
  return async () => {
    const outcomes = once(child, "message");
    child.send("stop");
    const [result] = await outcomes;
    if (child.exitCode === null) await once(child, "exit");
    return result as Figures["outcomes"];
  };
}

/** Starts the server. */
export async function startAttackedServer(): Promise<AttackedServer> {
  const [folder, testDatabase] = await Promise.all([mkdtemp(join(tmpdir(), "ashlar-hostile-")), createTestDatabase()]);
  await fillIndex(testDatabase.database);
  await storeTokenNames(testDatabase.database, hostileNames);
  const keys = createKeys(testDatabase.database);
  const victim = await keys.create({ label: "victim" });
  const configFile = join(folder, "ashlar.yaml");
  await writeFile(configFile, JSON.stringify({ chains: [{ name: chain.name, id: chain.id, groups: ["historical"] }] }));
  const files = { server: join(folder, "server.json"), control: join(folder, "control.json") };
  const [server, control] = await Promise.all([
    startServer(configFile, testDatabase.url, { environment: monitorEnvironment(files.server) }),
    startControl(files.control),
  ]);
  const port = Number(new URL(server.url).port);
  const pathOf = (number: number): string => `/v1/${chain.name}/address/${ordinaryWallets[number % ordinaryWallets.length]}/balances_v2/`;
  const readLoops = () => Promise.all([readLoop(server.child.pid ?? 0, files.server), readLoop(control.pid, files.control)]);
  return {
    async measure(attack, milliseconds) {
      // A separate key for each attack, because an attack exhausts its key's limits.
      const { key } = await keys.create({ label: attack ?? "none" });
      const probes = await Promise.all([openProbe(port, pathOf, victim.key), openProbe(port, () => "/healthz")]);
      const stopAttack = attack === null ? async () => ({}) : await startAttack({ attack, target: { port, key } });
      // The attacker's process loads its modules first.
      await wait(attack === null ? 0 : startMilliseconds);
      await readLoops();
      for (const probe of probes) probe.start();
      await wait(milliseconds);
      const [balances, health] = await Promise.all([probes[0].stop(), probes[1].stop()]);
      const [serverLoop, controlLoop] = await readLoops();
      return { balances, health, server: serverLoop, control: controlLoop, outcomes: await stopAttack() };
    },
    output: server.output,
    async stop() {
      await Promise.all([server.stop(), control.stop()]);
      await testDatabase.drop();
      await rm(folder, { recursive: true });
    },
  };
}

const startMilliseconds = 1_500;
