const problems: ReadonlyMap<string | undefined, string> = new Map([
  ["ENOENT", "no such file"],
  ["EACCES", "permission denied"],
  ["EISDIR", "it is a directory"],
]);

/** Describes a file system error: why a file could not be read. */
export const fileProblem = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException;
  return problems.get(code) ?? code ?? "unknown reason";
};
