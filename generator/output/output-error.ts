/** An error that occurs before anything is written. */
export class OutputError extends Error {
  override readonly name = "OutputError";
}

/** The error for existing files that the generator did not write and would overwrite or delete. */
export const foreignFilesError = (paths: readonly string[]): OutputError =>
  new OutputError(
    `Cannot overwrite ${paths.join(", ")}: expected the header of a generated file. Nothing was written; move or delete ${paths.length === 1 ? "the file" : "the files"} first.`,
  );

/** The error for a folder at the path of a generated file. */
export const folderAtFilePathError = (path: string): OutputError =>
  new OutputError(`Cannot write ${path}: expected a file, found a folder. Nothing was written; move or delete the folder first.`);
