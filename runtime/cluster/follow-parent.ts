import process from "node:process";

/**
 * Makes a child process live as long as its parent: it exits when the parent has exited. A terminal sends SIGINT and SIGHUP to all processes, and a service
 * manager may do so with SIGTERM: only the parent reacts, and asks its child processes to stop in order.
 */
export function followParent(): void {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
  // An exit would wait for work of the thread pool.
  process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));
}
