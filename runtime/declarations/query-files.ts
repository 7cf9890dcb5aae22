import { type Diagnostic, diagnostic } from "./diagnostics.ts";

/** Texts by path, with forward slashes. */
type Files = ReadonlyMap<string, string>;

/**
 * The SQL files that a declaration may name: `markets.sql` in its folder, and `../ctoken/markets.sql` in a shared folder, which is a sibling without
 * a declaration. `declarations` are the paths of all declarations. Names are resolved only among `files`, so none can refer to any other file.
 */
export function queriesFor(declaration: string, declarations: readonly string[], files: Files): Files {
  const folder = folderOf(declaration);
  const shared = [...sharedFiles(declarations, files)].map(([path, text]) => [`../${path.slice(parentOf(folder).length)}`, text] as const);
  const beside = [...files].filter(([path]) => folderOf(path) === folder).map(([path, text]) => [path.slice(folder.length), text] as const);
  return new Map([...beside, ...shared]);
}

/** The path of a file that a declaration names. */
export function queryPath(declaration: string, name: string): string {
  const folder = folderOf(declaration);
  return name.startsWith("../") ? parentOf(folder) + name.slice("../".length) : folder + name;
}

/** Reports shared files that no declaration names. `used` are the paths that declarations name. */
export function findUnusedSharedFiles(declarations: readonly string[], used: readonly string[], files: Files): Diagnostic[] {
  return [...sharedFiles(declarations, files).keys()]
    .filter((path) => !used.includes(path))
    .map((file) => diagnostic("unused-sql", { file, line: 1, column: 1 }, { expected: [] }));
}

/** The SQL files in folders without a declaration. */
function sharedFiles(declarations: readonly string[], files: Files): Files {
  const folders = new Set(declarations.map(folderOf));
  return new Map([...files].filter(([path]) => !folders.has(folderOf(path))));
}

/** A path up to its last slash. */
const folderOf = (path: string): string => path.replace(/[^/]*$/, "");

const parentOf = (folder: string): string => folder.replace(/[^/]*\/$/, "");
