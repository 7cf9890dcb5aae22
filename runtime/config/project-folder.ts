import { type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";

export const settingsFileName = "ashlar.yaml";
export const dataFolderName = ".ashlar";

/**
 * The nearest folder, from the working folder upwards, that has ashlar.yaml or .ashlar; null where none has. As git does, the search stays on one file
 * system and takes no other user's files. It ends at the home directory, and passes by folders that everybody may write to, such as /tmp.
 */
export function findProjectFolder(workingFolder: string, home: string): string | null {
  const start = statOf(workingFolder);
  if (start === null) return null;
  for (let folder = workingFolder; ; folder = dirname(folder)) {
    const state = statOf(folder);
    if (state === null || state.dev !== start.dev) return null;
    const isTrusted = folder === workingFolder || !isWorldWritable(state);
    if (isTrusted && isProject(folder, folder === workingFolder ? null : start.uid)) return folder;
    if (folder === home || dirname(folder) === folder) return null;
  }
}

/** Windows has no such bits: there, every folder has them. */
const isWorldWritable = ({ mode }: Stats): boolean => process.platform !== "win32" && (mode & 0o002) !== 0;

/** Whether a folder has one of the two; above the working folder only as files of root, this user, or the working folder's owner. */
function isProject(folder: string, owner: number | null): boolean {
  const [settings, data] = [statOf(join(folder, settingsFileName)), statOf(join(folder, dataFolderName))];
  const isOurs = ({ uid }: Stats): boolean => owner === null || [0, owner, process.getuid?.()].includes(uid);
  return (settings?.isFile() === true && isOurs(settings)) || (data?.isDirectory() === true && isOurs(data));
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
