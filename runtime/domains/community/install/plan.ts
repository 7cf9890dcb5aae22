import { projectionIdOf } from "../relations.ts";
import type { Installation } from "./statements.ts";

/** A row of `community_protocols`. */
export interface InstalledProtocol {
  readonly id: string;
  readonly fingerprint: string;
  readonly tables: readonly string[];
}

export interface InstallState {
  readonly installed: readonly InstalledProtocol[];
  /** The stored versions of the chain's protocol projections, by projection id. */
  readonly versions: ReadonlyMap<string, number>;
  /** Schemas that the reader role cannot use yet. */
  readonly withoutGrants: ReadonlySet<string>;
}

/** A protocol indexed on the chain, and the version of its projection there. */
export interface IndexedProtocol {
  readonly installation: Installation;
  readonly version: number;
}

/** The differences between the installed tables and the declarations. */
export interface InstallPlan {
  /** Protocols whose tables are dropped: their declaration was removed or creates different tables. */
  readonly drop: readonly InstalledProtocol[];
  readonly create: readonly Installation[];
  readonly grant: readonly Installation[];
  /** Protocols whose rows for this chain are deleted, because they have no contracts on it. */
  readonly clear: readonly InstalledProtocol[];
  /** Protocols whose read results on this chain are deleted, because their declaration or contracts have changed. */
  readonly readAgain: readonly Installation[];
}

/** Compares the installed protocols with the declared ones (`declared`, by id) and the protocols indexed on a chain (`indexed`). */
export const planInstallation = (
  { installed, versions, withoutGrants }: InstallState,
  declared: ReadonlySet<string>,
  indexed: readonly IndexedProtocol[],
): InstallPlan => {
  const current = new Map(indexed.map(({ installation }) => [installation.id, installation]));
  const isKept = ({ id, fingerprint }: InstalledProtocol): boolean => {
    const installation = current.get(id);
    return installation === undefined ? declared.has(id) : installation.fingerprint === fingerprint;
  };
  const kept = installed.filter(isKept);
  const create = [...current.values()].filter(({ id }) => !kept.some((other) => other.id === id));
  return {
    drop: installed.filter((protocol) => !isKept(protocol)),
    create,
    grant: [...current.values()].filter((installation) => create.includes(installation) || withoutGrants.has(installation.schema)),
    clear: kept.filter(({ id }) => !current.has(id) && versions.has(projectionIdOf(id))),
    readAgain: indexed.flatMap(({ installation, version }) => {
      const stored = versions.get(projectionIdOf(installation.id));
      return stored === undefined || stored === version || create.includes(installation) ? [] : [installation];
    }),
  };
};

export const isEmptyPlan = (plan: InstallPlan): boolean => Object.values(plan).every((part) => part.length === 0);
