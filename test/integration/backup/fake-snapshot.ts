import { createHash } from "node:crypto";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Manifest } from "../../../runtime/backup/manifest.ts";

export const sha256 = (data: string | Buffer): string => createHash("sha256").update(data).digest("hex");

/** Copies a snapshot, changes the rows of a table and the manifest, and writes matching checksums. */
export async function fakeSnapshot(
  folder: string,
  copy: string,
  table: string,
  changeRows: (text: string) => string,
  changeManifest: (text: string) => string = (text) => text,
): Promise<void> {
  await cp(folder, copy, { recursive: true });
  const manifest = JSON.parse(await readFile(join(copy, "manifest.json"), "utf8")) as Manifest;
  const file = join(copy, `${table}.copy.gz`);
  const rows = changeRows(gunzipSync(await readFile(file)).toString());
  const compressed = gzipSync(rows);
  await writeFile(file, compressed);
  const tables = manifest.tables.map((entry) =>
    entry.name === table
      ? { ...entry, content: { bytes: rows.length, sha256: sha256(rows) }, file: { bytes: compressed.length, sha256: sha256(compressed) } }
      : entry,
  );
  const text = changeManifest(JSON.stringify({ ...manifest, tables }));
  await writeFile(join(copy, "manifest.json"), text);
  await writeFile(join(copy, "manifest.json.sha256"), `${sha256(text)}  manifest.json\n`);
}
