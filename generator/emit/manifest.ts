import { createHash } from "node:crypto";
import { compareText } from "../model/names.ts";
import { catalogHeader } from "./header.ts";

/** The path of the manifest, which does not list itself. */
export const manifestPath = "generated/manifest.json";

/** The manifest: the generated files and their hashes. */
interface Manifest {
  readonly _generated: string;
  readonly catalog: string;
  readonly files: Readonly<Record<string, { readonly sha256: string }>>;
}

/** Emits the manifest of the generated files. */
export function emitManifest(files: ReadonlyMap<string, string>, catalogVersion: string): string {
  const entries = [...files].sort(([left], [right]) => compareText(left, right));
  const manifest: Manifest = {
    _generated: catalogHeader,
    catalog: catalogVersion,
    files: Object.fromEntries(entries.map(([path, text]) => [path, { sha256: createHash("sha256").update(text).digest("hex") }])),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** The paths that a manifest lists; none if the text is not a manifest. */
export function manifestPaths(text: string): string[] {
  try {
    const manifest: unknown = JSON.parse(text);
    const files = typeof manifest === "object" && manifest !== null && "files" in manifest ? manifest.files : null;
    return typeof files === "object" && files !== null ? Object.keys(files) : [];
  } catch {
    return [];
  }
}
