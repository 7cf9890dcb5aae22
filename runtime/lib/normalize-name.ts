import { normalize } from "viem/ens";

/** Names with only ASCII letters, digits and hyphens, which ENSIP-15 leaves unchanged; hyphens as both third and fourth character are reserved. */
const plainName = /^(?!..--)[a-z0-9-]+(?:\.(?!..--)[a-z0-9-]+)*$/;

/** The normalized form of a name (ENSIP-15); null if the name is invalid. */
export const normalizeName = (name: string): string | null => {
  // Most names are plain, and loading the tables for other names takes time.
  if (plainName.test(name)) return name;
  try {
    const normal = normalize(name);
    return normal === "" ? null : normal;
  } catch {
    return null;
  }
};
