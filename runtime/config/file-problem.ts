const problems: ReadonlyMap<string | undefined, string> = new Map([
  ["ENOENT", "no such file"],
  ["EACCES", "permission denied"],
  ["EISDIR", "it is a directory"],
]);

/** Describes why a file could not be read, by the error of the file system. */
export const fileProblem = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException;
  return problems.get(code) ?? code ?? "unknown reason";
};
