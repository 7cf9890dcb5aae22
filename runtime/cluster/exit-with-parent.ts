import process from "node:process";

/**
 * Makes a child process exit when its parent exits, and ignore signals: a terminal sends SIGINT and SIGHUP to all processes, and a service
 * manager may do so with SIGTERM, but only the parent reacts and stops its child processes in order.
 */
export function exitWithParent(): void {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  // process.exit() would wait for work in the thread pool.
  process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
}
