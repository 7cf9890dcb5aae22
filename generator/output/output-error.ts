/** Why nothing was written. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/** Files that someone else wrote are in the way. */
export const foreignFiles = (paths: readonly string[]): OutputError =>
  new OutputError(
    `${paths.join(", ")}: ${paths.length === 1 ? "this file has" : "these files have"} no header of a generated file, so nothing was written; move or delete ${paths.length === 1 ? "it" : "them"} first.`,
  );

/** A folder has the name of a file. */
export const folderInTheWay = (path: string): OutputError =>
  new OutputError(`${path}: this is a folder where a generated file belongs, so nothing was written; move or delete it first.`);
