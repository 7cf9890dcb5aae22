import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { hostileFolder } from "./chapters/hostile-tokens.ts";
import { lanternDocument, lanternFolder, lanternImage, lanterns } from "./chapters/lantern-documents.ts";

/** How the demo's gateway answers a path. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | AsyncIterable<string>;
}

/** More than any index is configured to take. */
const hugeBytes = 32 * 1024 * 1024;
const chunkBytes = 64 * 1024;
const bombBytes = 64 * 1024 * 1024;
const dripMilliseconds = 200;
/** After so many blanks even a slow document ends. */
const maxDrips = 600;
const nestedDepth = 100_000;
const attributeCount = 15_000;

const compress = promisify(gzip);
const answer = (type: string, body: Answer["body"], more: Partial<Answer> = {}): Answer => ({
  status: 200,
  headers: { "content-type": type },
  body,
  ...more,
});
const document = (body: Answer["body"]): Answer => answer("application/json", body);
const redirect = (location: string): Answer => answer("text/plain", "", { status: 302, headers: { location } });
const text = (status: number, body: string): Answer => answer("text/plain", body, { status });

async function* tellHuge(): AsyncGenerator<string> {
  yield '{"name":"Huge","description":"';
  const chunk = "a".repeat(chunkBytes);
  for (let told = 0; told < hugeBytes; told += chunkBytes) yield chunk;
  yield '"}';
}

/** A blank every now and then. */
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

/** What the gateway tells of the hostile folder, made when it is asked for; redirects lead to an address that nothing may be fetched from. */
const createHostileAnswers = (forbidden: string): Readonly<Record<string, () => Answer | Promise<Answer>>> => ({
  huge: () => document(tellHuge()),
  slow: () => document(drip()),
  "redirect-to-loopback": () => redirect(`${forbidden}/private.json`),
  "redirect-to-link-local": () => redirect("http://169.254.169.254/latest/meta-data/"),
  "redirect-loop": () => redirect(`/ipfs/${hostileFolder}/redirect-loop`),
  "compressed-bomb": async () => {
    const body = await compress(`{"name":"Bomb","description":"${" ".repeat(bombBytes)}"}`);
    return answer("application/json", body, { headers: { "content-type": "application/json", "content-encoding": "gzip" } });
  },
  "deeply-nested": () => document(`{"name":"Deep","attributes":${"[".repeat(nestedDepth)}${"]".repeat(nestedDepth)}}`),
  "many-attributes": () => document(manyAttributes()),
  page: () => answer("text/html", "<!doctype html><html><body><script>alert(document.domain)</script></body></html>"),
  broken: () => text(500, "The gateway is broken."),
});

/** The number of a lantern in a path; null where it is none. */
const lanternIn = (part: string | undefined): number | null => {
  const number = /^[1-9]\d{0,3}$/.test(part ?? "") ? Number(part) : 0;
  return number >= 1 && number <= lanterns ? number : null;
};

const answerOfLanterns = (first: string | undefined, second: string | undefined): Answer | null => {
  const id = lanternIn(first);
  if (id !== null && second === undefined) return document(lanternDocument(id));
  const picture = first === "images" && second?.endsWith(".svg") ? lanternIn(second.slice(0, -".svg".length)) : null;
  return picture === null ? null : answer("image/svg+xml", lanternImage(picture));
};

/** What the demo's gateway knows: a few paths below /ipfs/, and nothing else. */
export const createAnswers = (forbidden: string): ((path: string) => Promise<Answer>) => {
  const hostile = new Map(Object.entries(createHostileAnswers(forbidden)));
  return async (path) => {
    const [root, protocol, folder, first, second, ...more] = path.split("/");
    if (root === "" && protocol === "ipfs" && more.length === 0) {
      const found =
        folder === lanternFolder
          ? answerOfLanterns(first, second)
          : folder === hostileFolder && second === undefined
            ? await hostile.get(first ?? "")?.()
            : null;
      if (found !== null && found !== undefined) return found;
    }
    return text(404, "There is no such document.");
  };
};
