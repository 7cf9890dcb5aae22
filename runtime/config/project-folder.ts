import { type Stats, statSync } from "node:fs";
import { dirname, join } from "node:path";

export const settingsFileName = "ashlar.yaml";
export const dataDirectoryName = ".ashlar";

/**
 * The nearest folder with ashlar.yaml or .ashlar, from the working folder upwards; null if there is none. Like git, the search stays on one file system and
 * ignores other users' files. It ends at the home directory, and skips world-writable folders such as /tmp.
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

/** Whether everyone may write to a folder. Windows has no such permission bits. */
const isWorldWritable = ({ mode }: Stats): boolean => process.platform !== "win32" && (mode & 0o002) !== 0;

/** Whether a folder has ashlar.yaml or .ashlar; above the working folder, they must belong to root, this user, or the owner of the working folder. */
function isProject(folder: string, owner: number | null): boolean {
  const [settings, data] = [statOf(join(folder, settingsFileName)), statOf(join(folder, dataDirectoryName))];
  const isTrustedOwner = ({ uid }: Stats): boolean => owner === null || [0, owner, process.getuid?.()].includes(uid);
  return (settings?.isFile() === true && isTrustedOwner(settings)) || (data?.isDirectory() === true && isTrustedOwner(data));
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}
