import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Binaries, findBinaries } from "./embedded/binaries.ts";
import { prepareCluster, readMajor, roleName } from "./embedded/cluster.ts";
import { acquireLock, type DirectoryLock } from "./embedded/lock.ts";
import { findOldBinaries } from "./embedded/old-binaries.ts";
import { findOrphan } from "./embedded/orphan.ts";
import { chooseOsUser } from "./embedded/os-user.ts";
import { claim } from "./embedded/ownership.ts";
import { type EmbeddedPaths, findPaths } from "./embedded/paths.ts";
import { launch, type Postmaster, stopPostmaster } from "./embedded/postmaster.ts";
import { completeSwap, keptCluster, swapClusters } from "./embedded/swap.ts";
import { EmbeddedUnavailable } from "./embedded/unavailable.ts";
import { urlOf } from "./embedded/url.ts";
import { startEmbedded } from "./embedded.ts";
import { scramVerifier } from "./scram.ts";
import { openSession } from "./session.ts";

/** The servers involved in an upgrade. */
export interface UpgradeServers {
  /** The URLs of the old and the new server: secrets. The old one refuses writes. */
  readonly oldUrl: string;
  readonly newUrl: string;
  /** For the backup files; it is deleted afterwards. */
  readonly folder: string;
}

export interface UpgradeOptions {
  readonly dataDirectory: string;
  /** The folder with the old version's programs; by default, it is searched for. */
  readonly programs?: string | undefined;
  /** Settings for both servers that override the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Called before a wait for another process that may still use the data directory. */
  readonly onWait?: (message: string) => void;
  /** Copies the database, and verifies the copy. */
  copy(servers: UpgradeServers): Promise<void>;
}

/** The major versions of an upgrade, and the old cluster's folder. */
export interface UpgradeResult {
  readonly fromVersion: string;
  readonly toVersion: string;
  readonly keptFolder: string;
}

/**
 * Upgrades a data directory's cluster to the installed PostgreSQL major version: copies its database into a new cluster, which replaces the old one;
 * the old one is kept. Returns null if it already has that version. The old cluster is not changed until the copy is verified; a killed upgrade's
 * files are deleted. @throws {EmbeddedUnavailable}
 */
export async function upgradeEmbedded(options: UpgradeOptions): Promise<UpgradeResult | null> {
  const paths = findPaths(options.dataDirectory);
  const ownership = await claim(paths.root);
  if (ownership === undefined)
    throw new EmbeddedUnavailable(`another process uses ${paths.root}: stop all processes of Ashlar, and repeat the upgrade`);
  try {
    const lock = await acquireLock(paths, { onWait: options.onWait });
    try {
      return await upgradeOwned(paths, options, lock);
    } finally {
      await lock.release();
    }
  } finally {
    await ownership.release();
  }
}

async function upgradeOwned(
  paths: EmbeddedPaths,
  options: UpgradeOptions,
  { presenceDescriptor, lost }: DirectoryLock,
): Promise<UpgradeResult | null> {
  completeSwap(paths);
  const osUser = chooseOsUser(paths);
  const fromVersion = readMajor(paths);
  const { major: toVersion } = findBinaries(paths, osUser);
  if (Number(fromVersion) > Number(toVersion))
    throw new EmbeddedUnavailable(
      `${paths.cluster} was created by PostgreSQL ${fromVersion}, which is newer than the installed version ${toVersion}: install a newer version of Ashlar`,
    );
  await removeRemains(paths);
  if (fromVersion === toVersion) return null;
  const keptFolder = keptCluster(paths, fromVersion);
  if (existsSync(keptFolder))
    throw new EmbeddedUnavailable(`${keptFolder}, where the upgrade keeps the old data, already exists: delete or move it`);
  const binaries = findOldBinaries(paths, osUser, fromVersion, options.programs);
  await prepareCluster(paths, binaries, osUser);
  try {
    await copyCluster(paths, options, () => startOld(paths, binaries, options, presenceDescriptor));
    lost.throwIfAborted();
    swapClusters(paths, findPaths(paths.upgradeDirectory).cluster, fromVersion);
  } finally {
    rmSync(paths.upgradeDirectory, { recursive: true, force: true });
  }
  return { fromVersion, toVersion, keptFolder };
}

/** Other processes could join the old server, so it refuses writes, which would be lost. */
const startOld = (
  paths: EmbeddedPaths,
  binaries: Binaries,
  { settings }: UpgradeOptions,
  inheritedDescriptor: number | undefined,
): Promise<Postmaster> =>
  launch(paths, binaries, chooseOsUser(paths), {
    settings: { ...settings, default_transaction_read_only: "on" },
    inheritedDescriptor,
  });

async function copyCluster(paths: EmbeddedPaths, { settings = {}, copy }: UpgradeOptions, start: () => Promise<Postmaster>): Promise<void> {
  mkdirSync(paths.upgradeDirectory, { mode: 0o700 });
  const old = await start();
  try {
    const fresh = await startEmbedded({ dataDirectory: paths.upgradeDirectory, settings });
    try {
      await copy({ oldUrl: urlOf(paths, old), newUrl: fresh.url, folder: join(paths.upgradeDirectory, "backup") });
      await setPassword(fresh.url, readFileSync(paths.passwordFile, "utf8"));
    } finally {
      await fresh.stop();
    }
  } finally {
    await stopPostmaster(old);
  }
}

/** The data directory keeps its password file, so the new cluster gets the old password. */
async function setPassword(url: string, password: string): Promise<void> {
  const session = await openSession({ url, applicationName: "ashlar-upgrade" });
  try {
    await session.query(`ALTER ROLE ${roleName} PASSWORD '${scramVerifier(password)}'`);
  } finally {
    await session.close();
  }
}

/** Stops the servers that a killed upgrade has left running, and deletes its files. */
async function removeRemains(paths: EmbeddedPaths): Promise<void> {
  const directories = existsSync(paths.upgradeDirectory) ? [paths, findPaths(paths.upgradeDirectory)] : [paths];
  for (const directory of directories) {
    const orphan = await findOrphan(directory);
    if (orphan !== undefined) await stopPostmaster(orphan);
  }
  rmSync(paths.upgradeDirectory, { recursive: true, force: true });
  rmSync(paths.upgradedCluster, { recursive: true, force: true });
}
