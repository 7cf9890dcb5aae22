import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A profile in the format of the Chrome DevTools Protocol (Profiler.Profile). */
interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** A function's share of the process's busy time. */
export interface FunctionShare {
  readonly name: string;
  readonly self: number;
  /** Includes everything that it called synchronously. */
  readonly total: number;
}

const idleFrames = new Set(["(idle)", "(root)"]);

/** Loading modules is not part of serving. */
const isLoading = (url: string): boolean => url.startsWith("node:internal/modules/");

/** Aggregates the profiles in a folder by the name that `nameOf` gives each frame, largest self time first. */
export function sharesOf(folder: string, nameOf: (functionName: string, url: string, line: number) => string): FunctionShare[] {
  const self = new Map<string, number>();
  const total = new Map<string, number>();
  let busyTime = 0;
  const add = (sums: Map<string, number>, name: string, time: number): unknown => sums.set(name, (sums.get(name) ?? 0) + time);
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".cpuprofile"))) {
    const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, file), "utf8")) as CpuProfile;
    const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
    const byId = new Map(nodes.map((node) => [node.id, node]));
    const times = new Map<number, number>();
    samples.forEach((id, position) => {
      times.set(id, (times.get(id) ?? 0) + (timeDeltas[position] ?? 0));
    });
    for (const [id, time] of times) {
      const stack: CpuProfile["nodes"][number][] = [];
      for (let node = byId.get(id); node !== undefined; node = byId.get(parents.get(node.id) ?? 0)) stack.push(node);
      if (idleFrames.has(stack[0]?.callFrame.functionName ?? "") || stack.some(({ callFrame }) => isLoading(callFrame.url))) continue;
      const names = stack.flatMap(({ callFrame: { functionName, url, lineNumber } }) =>
        idleFrames.has(functionName) ? [] : [nameOf(functionName, url, lineNumber + 1)],
      );
      busyTime += time;
      add(self, names[0] ?? "", time);
      for (const name of new Set(names)) add(total, name, time);
    }
  }
  return [...total]
    .map(([name, time]) => ({ name, self: (self.get(name) ?? 0) / busyTime, total: time / busyTime }))
    .sort((left, right) => right.self - left.self);
}

/** Names a frame by its function, its file below the folder of the compiled programs, and its line. */
export const byFunction =
  (root: string) =>
  (functionName: string, url: string, line: number): string =>
    url === "" ? functionName : `${functionName || "(anonymous)"} ${shortened(url, root)}:${line}`;

/** Names a frame by its package, or by its file if it belongs to the project. */
export const byModule =
  (root: string) =>
  (functionName: string, url: string): string => {
    if (url === "") return functionName === "(garbage collector)" ? functionName : "(native)";
    const path = shortened(url, root);
    const packageName = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
    return packageName ?? (path.startsWith("node:") ? "node" : path);
  };

const shortened = (url: string, root: string): string => {
  const path = url.replace(/^file:\/\//, "");
  const packages = path.lastIndexOf("node_modules/");
  return packages >= 0 ? path.slice(packages) : path.startsWith(root) ? path.slice(root.length + 1) : path;
};
