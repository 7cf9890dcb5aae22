/** The reason why nothing was written. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/** Existing files that the generator did not write would be overwritten. */
export const foreignFiles = (paths: readonly string[]): OutputError =>
  new OutputError(
    `${paths.join(", ")}: ${paths.length === 1 ? "this file has" : "these files have"} no header of a generated file, so nothing was written; move or delete ${paths.length === 1 ? "it" : "them"} first.`,
  );

/** A folder exists at the path of a generated file. */
export const folderInTheWay = (path: string): OutputError =>
  new OutputError(`${path}: this is a folder where a generated file belongs, so nothing was written; move or delete it first.`);
