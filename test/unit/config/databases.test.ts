import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { configOfDatabase, databaseNameOfOnlyChain } from "../../../runtime/config/database-config.ts";
import { loadConfig } from "../../../runtime/config/load-config.ts";

const folder = mkdtempSync(join(tmpdir(), "ashlar-databases-"));
afterAll(() => rmSync(folder, { recursive: true }));

const urlOf = (name: string): string => `postgresql://user:secret@${name}/ashlar`;
/** Loads a configuration from its lines. */
const load = (lines: readonly string[], environment: NodeJS.ProcessEnv = {}, chain?: string) => {
  writeFileSync(join(folder, "ashlar.yaml"), lines.join("\n"));
  return loadConfig(undefined, environment, { chain }, { workingFolder: folder, home: folder });
};
const chains = ["chains:", "  - { name: one, id: 1 }", "  - { name: two, id: 2, database: b }"];

test("a database can be a URL or a map, and environment variables and their files override it", () => {
  writeFileSync(join(folder, "url"), `${urlOf("file")}\n`);
  const lines = [
    `databaseUrl: ${urlOf("control")}`,
    "databases:",
    `  a: ${urlOf("a")}`,
    "  b:",
    `    url: ${urlOf("b")}`,
    `    readUrls: [${urlOf("b1")}]`,
    "  my-db:",
    ...chains,
  ];
  const variables = { DATABASE_MY_DB_URL_FILE: join(folder, "url"), DATABASE_A_READ_URLS: `${urlOf("a1")} ${urlOf("a2")}` };
  expect(load(lines, variables).databases).toEqual({
    a: { url: urlOf("a"), readUrls: [urlOf("a1"), urlOf("a2")] },
    b: { url: urlOf("b"), readUrls: [urlOf("b1")] },
    "my-db": { url: urlOf("file"), readUrls: [] },
  });
});

test("a database's configuration has its URLs and chains", () => {
  const lines = [`databaseUrl: ${urlOf("control")}`, `readUrls: [${urlOf("c1")}]`, `databases: { b: "${urlOf("b")}" }`, ...chains];
  const config = load(lines);
  const settingsOf = (name: string | null) => {
    const { databaseUrl, readUrls, chains: databaseChains } = configOfDatabase(config, name);
    return [databaseUrl, readUrls, databaseChains.map((chain) => chain.name)];
  };
  expect(settingsOf(null)).toEqual([urlOf("control"), [urlOf("c1")], ["one"]]);
  expect(settingsOf("b")).toEqual([urlOf("b"), [], ["two"]]);
  expect([databaseNameOfOnlyChain(config), databaseNameOfOnlyChain(load(lines, {}, "two"))]).toEqual([null, "b"]);
});

test.each([
  [
    [`databaseUrl: ${urlOf("control")}`, `databases: { a: "${urlOf("a")}" }`, ...chains],
    'ashlar.yaml:5:35: Invalid value "b" for chains.1.database: expected the name of a configured database (a).',
  ],
  [
    [`databaseUrl: ${urlOf("control")}`, ...chains],
    'ashlar.yaml:4:35: Invalid value "b" for chains.1.database: expected no value, because no databases are configured.',
  ],
  [
    [`databases: { b: "${urlOf("b")}" }`, ...chains],
    "ashlar.yaml: Missing setting databaseUrl: with databases, it is the URL of the control database, which stores keys and credits.",
  ],
  [
    [`databaseUrl: ${urlOf("b")}`, "databases:", `  b: ${urlOf("b")}`, ...chains],
    "ashlar.yaml:3:6: Invalid value for databases.b.url: expected a URL that differs from that of databaseUrl.",
  ],
  [
    [`databaseUrl: ${urlOf("control")}`, "databases:", "  b: secret", ...chains],
    "ashlar.yaml:3:6: Invalid value for databases.b.url: expected a URL of the form postgresql://user:password@host:port/name.",
  ],
  [
    [`databaseUrl: ${urlOf("control")}`, "databases:", "  b:", ...chains],
    "ashlar.yaml:3:5: Missing setting databases.b.url: expected a URL of the form postgresql://user:password@host:port/name.",
  ],
  [
    [`databaseUrl: ${urlOf("control")}`, "databases:", `  b: { url: "${urlOf("b")}", readUrl: secret }`, ...chains],
    "ashlar.yaml:3:50: Unknown setting databases.b.readUrl: did you mean readUrls?",
  ],
])("a configuration with an invalid setting is rejected with the location, without secrets", (lines, message) => {
  expect(() => load(lines)).toThrow(message);
  try {
    load(lines);
  } catch (error) {
    expect(String(error)).not.toContain("secret@");
  }
});
