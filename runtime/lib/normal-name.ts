import { normalize } from "viem/ens";

/** Names of ASCII letters, digits and hyphens that ENSIP-15 leaves as they are: two hyphens in the third and fourth place are kept for other encodings. */
const plainName = /^(?!..--)[a-z0-9-]+(?:\.(?!..--)[a-z0-9-]+)*$/;

/** The form under which a name is registered (ENSIP-15), or null where it is not one that can be. */
export const normalName = (name: string): string | null => {
  // Most names are plain, and the tables of all others take a while to unfold.
  if (plainName.test(name)) return name;
  try {
    const normal = normalize(name);
    return normal === "" ? null : normal;
  } catch {
    return null;
  }
};
