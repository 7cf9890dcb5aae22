import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { loadConfig } from "../../../runtime/config/load-config.ts";
import { readSecret } from "../../../runtime/config/secret-variables.ts";

const folder = mkdtempSync(join(tmpdir(), "ashlar-secrets-"));
const url = "postgresql://me:secret@db/index";
const file = join(folder, "url");
writeFileSync(file, `${url}\n`);
afterAll(() => rmSync(folder, { recursive: true }));

test("a secret is read from the file that a _FILE variable names, without its line break", () => {
  const load = (environment: NodeJS.ProcessEnv) => loadConfig(undefined, environment, {}, { workingFolder: folder, home: folder });
  expect(load({ DATABASE_URL_FILE: file }).databaseUrl).toBe(url);
  writeFileSync(join(folder, "urls"), `${url}1\n${url}2\n`);
  expect(load({ DATABASE_URL: url, DATABASE_READ_URLS_FILE: join(folder, "urls") }).readUrls).toEqual([`${url}1`, `${url}2`]);
  expect(() => load({ DATABASE_READ_URLS: url })).toThrow(
    "ashlar.yaml: Invalid readUrls: the embedded database has no replicas; set databaseUrl, or remove readUrls.",
  );
  expect(load({ COMMUNITY_DATABASE_URL_FILE: file }).communityDatabaseUrl).toBe(url);
  expect(load({ METRICS_TOKEN_FILE: file }).metrics?.bearerToken).toBe(url);
  expect(readSecret({ ASHLAR_API_KEY_FILE: file }, "ASHLAR_API_KEY")).toBe(url);
});

test.each([
  [
    { DATABASE_URL: url, DATABASE_URL_FILE: file },
    "DATABASE_URL and DATABASE_URL_FILE are both set: expected one of them; unset the other.",
  ],
  [
    { DATABASE_URL_FILE: "/nowhere/url" },
    'Invalid value "/nowhere/url" for DATABASE_URL_FILE: no such file; set it to the path of a readable file.',
  ],
])("%j is rejected without its secret", (environment, message) => {
  expect(() => readSecret(environment, "DATABASE_URL")).toThrow(message);
  expect(message).not.toContain("secret@");
});
