/** The text of source files by name. */
export type Sources = Readonly<Record<string, string>>;

/** The files of this folder that a source imports. */
const importsOf = (source: string): string[] => [...source.matchAll(/^import .*"\.\/(.+)";$/gm)].flatMap(([, name]) => name ?? []);

/** Divides sources into sets of files that import one another, directly or not. */
const connected = (sources: Sources): string[][] => {
  let sets: string[][] = [];
  for (const [name, source] of Object.entries(sources)) {
    const own = [name, ...importsOf(source)];
    const touched = sets.filter((set) => set.some((other) => own.includes(other)));
    sets = [...sets.filter((set) => !touched.includes(set)), [...new Set([...touched.flat(), ...own])]];
  }
  return sets;
};

/**
 * Divides sources into groups of similar length for compilers that run concurrently. No group needs a file of another one, because a compiler also generates the
 * code of the contracts that its own ones create.
 */
export const groupSources = (sources: Sources, count: number): Sources[] => {
  const lengthOf = (names: readonly string[]): number => names.reduce((total, name) => total + (sources[name]?.length ?? 0), 0);
  const groups = Array.from({ length: count }, (): string[] => []);
  for (const set of connected(sources).sort((left, right) => lengthOf(right) - lengthOf(left)))
    groups.reduce((shortest, group) => (lengthOf(group) < lengthOf(shortest) ? group : shortest)).push(...set);
  return groups.map((names) => Object.fromEntries(names.sort().map((name) => [name, sources[name] ?? ""])));
};
