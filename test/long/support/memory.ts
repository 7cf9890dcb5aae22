import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { WebSocket } from "undici";
import { descendantsOf } from "../../e2e/start/service-process.ts";

/** Resident memory in megabytes, of a process and its descendants. */
export const residentMegabytes = (pid: number): number =>
  [pid, ...descendantsOf(pid)].reduce((sum, id) => sum + residentKilobytes(id), 0) / 1024;

const residentKilobytes = (pid: number): number => {
  try {
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    // The process has exited.
    return 0;
  }
};

/** The environment for measuring a process's heap. */
export const inspectorEnvironment = { NODE_OPTIONS: "--inspect=127.0.0.1:0" };

/** Collects garbage in a process with this environment, whose output contains the debugger's URL, and returns the used heap in megabytes. */
export async function heapMegabytes(output: string): Promise<number> {
  const url = /Debugger listening on (ws:\S+)/.exec(output)?.[1];
  if (url === undefined) throw new Error(`No inspector URL in the process's output: ${output.slice(0, 200)}`);
  const socket = new WebSocket(url);
  const call = (id: number, method: string): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const onMessage = ({ data }: { readonly data: unknown }): void => {
        const response = JSON.parse(String(data)) as { readonly id?: number; readonly result?: unknown };
        if (response.id !== id) return;
        socket.removeEventListener("message", onMessage);
        resolve(response.result);
      };
      socket.addEventListener("message", onMessage);
      socket.addEventListener("close", () => reject(new Error("The inspector closed the connection.")));
      socket.send(JSON.stringify({ id, method }));
    });
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener("open", resolve);
      socket.addEventListener("error", reject);
    });
    // Finalizers in the first collection release objects for the second one.
    await call(1, "HeapProfiler.collectGarbage");
    await wait(finalizerMilliseconds);
    await call(2, "HeapProfiler.collectGarbage");
    const { usedSize } = (await call(3, "Runtime.getHeapUsage")) as { readonly usedSize: number };
    return usedSize / 2 ** 20;
  } finally {
    socket.close();
  }
}

const finalizerMilliseconds = 100;
