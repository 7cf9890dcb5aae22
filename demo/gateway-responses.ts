import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { hostileFolderCid } from "./chapters/hostile-tokens.ts";
import { lanternCount, lanternDocument, lanternFolderCid, lanternImage } from "./chapters/lantern-documents.ts";

/** A response of the demo's IPFS gateway. */
export interface GatewayResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<string>;
}

/** More than the default size limit of documents. */
const hugeBytes = 32 * 1024 * 1024;
const chunkBytes = 64 * 1024;
const bombBytes = 64 * 1024 * 1024;
const dripMilliseconds = 200;
/** The number of spaces after which a slow document ends. */
const maxDrips = 600;
const nestedDepth = 100_000;
const attributeCount = 15_000;

const compress = promisify(gzip);
const respond = (type: string, body: GatewayResponse["body"], overrides: Partial<GatewayResponse> = {}): GatewayResponse => ({
  status: 200,
  headers: { "content-type": type },
  body,
  ...overrides,
});
const document = (body: GatewayResponse["body"]): GatewayResponse => respond("application/json", body);
const redirect = (location: string): GatewayResponse => respond("text/plain", "", { status: 302, headers: { location } });
const text = (status: number, body: string): GatewayResponse => respond("text/plain", body, { status });

async function* streamHuge(): AsyncGenerator<string> {
  yield '{"name":"Huge","description":"';
  const chunk = "a".repeat(chunkBytes);
  for (let sent = 0; sent < hugeBytes; sent += chunkBytes) yield chunk;
  yield '"}';
}

/** Yields one space every 200 ms. */
async function* drip(): AsyncGenerator<string> {
  for (let drops = 0; drops < maxDrips; drops++) {
    yield " ";
    await wait(dripMilliseconds, undefined, { ref: false });
  }
}

const manyAttributes = (): string =>
  JSON.stringify({
    name: "Many",
    attributes: Array.from({ length: attributeCount }, (_, index) => ({ trait_type: `Trait ${index}`, value: `Value ${index}` })),
  });

/** The gateway's responses for the hostile folder, created on request. Redirects lead to addresses that a client must not request. */
const createHostileResponses = (forbiddenOrigin: string): Readonly<Record<string, () => GatewayResponse | Promise<GatewayResponse>>> => ({
  huge: () => document(streamHuge()),
  slow: () => document(drip()),
  "redirect-to-loopback": () => redirect(`${forbiddenOrigin}/private.json`),
  "redirect-to-link-local": () => redirect("http://169.254.169.254/latest/meta-data/"),
  "redirect-loop": () => redirect(`/ipfs/${hostileFolderCid}/redirect-loop`),
  "compressed-bomb": async () => {
    const body = await compress(`{"name":"Bomb","description":"${" ".repeat(bombBytes)}"}`);
    return respond("application/json", body, { headers: { "content-type": "application/json", "content-encoding": "gzip" } });
  },
  "deeply-nested": () => document(`{"name":"Deep","attributes":${"[".repeat(nestedDepth)}${"]".repeat(nestedDepth)}}`),
  "many-attributes": () => document(manyAttributes()),
  page: () => respond("text/html", "<!doctype html><html><body><script>alert(document.domain)</script></body></html>"),
  broken: () => text(500, "The gateway is broken."),
});

/** Parses a part of a path as a lantern's number; null if it is not one. */
const parseLanternNumber = (part: string | undefined): number | null => {
  const number = /^[1-9]\d{0,3}$/.test(part ?? "") ? Number(part) : 0;
  return number >= 1 && number <= lanternCount ? number : null;
};

const lanternResponse = (first: string | undefined, second: string | undefined): GatewayResponse | null => {
  const id = parseLanternNumber(first);
  if (id !== null && second === undefined) return document(lanternDocument(id));
  const picture = first === "images" && second?.endsWith(".svg") ? parseLanternNumber(second.slice(0, -".svg".length)) : null;
  return picture === null ? null : respond("image/svg+xml", lanternImage(picture));
};

/** Creates a function that returns the demo gateway's response for a path: a document of the story below /ipfs/, or 404. */
export const createGatewayHandler = (forbiddenOrigin: string): ((path: string) => Promise<GatewayResponse>) => {
  const hostile = new Map(Object.entries(createHostileResponses(forbiddenOrigin)));
  return async (path) => {
    const [root, protocol, folder, first, second, ...rest] = path.split("/");
    if (root === "" && protocol === "ipfs" && rest.length === 0) {
      const response =
        folder === lanternFolderCid
          ? lanternResponse(first, second)
          : folder === hostileFolderCid && second === undefined
            ? await hostile.get(first ?? "")?.()
            : null;
      if (response !== null && response !== undefined) return response;
    }
    return text(404, "Document not found.");
  };
};
