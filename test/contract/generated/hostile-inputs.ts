import type { Random } from "../../../demo/story/random.ts";

/** Texts that no parameter expects: other syntaxes, control characters, long and empty texts, and numbers beyond all limits. */
export const hostileTexts: readonly string[] = [
  "",
  " ",
  "\u0000",
  "\u202Eeslaf",
  "\uFFFD",
  "🪨".repeat(50),
  "a".repeat(3_000),
  "1".repeat(400),
  "0x".concat("f".repeat(2_000)),
  ",".repeat(1_500),
  "' OR '1'='1",
  "1; DROP TABLE blocks",
  "$1",
  "{{7*7}}",
  "../../etc/passwd",
  "%2e%2e%2f",
  "<script>alert(1)</script>",
  "=1+1",
  "__proto__",
  "constructor",
  "[object Object]",
  "NaN",
  "-0",
  "9007199254740993",
  "1e400",
  "0x7fffffffffffffffffffffffffffffff",
  "2147483648",
  "9223372036854775808",
  "null",
  "undefined",
  "true",
];

/** Headers that clients, proxies and attackers send with valid requests. */
export const hostileHeaders: readonly Readonly<Record<string, string>>[] = [
  { accept: "text/html, application/xhtml+xml;q=0.9" },
  { accept: "*/*;q=0, ;;;, q=" },
  { "accept-encoding": "identity;q=0, *;q=0" },
  { "accept-encoding": "br;q=1.5, gzip;q=x, ,,," },
  { "if-none-match": "*" },
  { "if-none-match": `"${"a".repeat(4_000)}"` },
  { "if-modified-since": "Thu, 99 Foo 2025" },
  { range: "bytes=0-1,2-3,5-" },
  { "x-forwarded-for": "::1, 127.0.0.1, unknown, <b>" },
  { "x-forwarded-host": "example.com/%0d%0aSet-Cookie:a=b" },
  { "content-type": "application/json" },
  { cookie: "a=".concat("b".repeat(3_000)) },
  { expect: "100-continue" },
  { te: "trailers", connection: "keep-alive, x-a" },
];

const manyNames = Array.from({ length: 500 }, (_, position) => `p${position}=${position}`).join("&");

/** Additions to the query; the path remains the operation's. */
const additions: readonly string[] = [
  "x=1",
  "a[]=1&a[b]=2",
  "__proto__[x]=1",
  "constructor=1",
  "%00=1",
  "%=1",
  "a=%ff",
  "a=%zz",
  "&&&==&=",
  "format=csv&format=json",
  "key=1",
  ";a=b",
  "?",
  manyNames,
];

/** Changes of the path, which may then match another operation or none. */
const pathChanges: readonly ((path: string) => string)[] = [
  (path) => path.slice(0, -1),
  (path) => path.replaceAll("/", "//"),
  (path) => `${path}%00/`,
  (path) => `${path}..%2f`,
  (path) => `${path}%ff/`,
  (path) => path.toUpperCase(),
  (path) => path.replace("/v1/", "/v1/./"),
  (path) => path.replace("/v1/", "/V1/"),
  (path) => path.slice(0, path.length / 2),
  (path) => `${path}${"a/".repeat(200)}`,
];

/** On average, requests CSV in every tenth target, adds an unexpected query to every eighth and changes the path of every fifteenth. */
export function rewriteTarget(random: Random, target: string): { readonly text: string; readonly matchesOperation: boolean } {
  const withQuery = [...(random.oneIn(10) ? ["format=csv"] : []), ...(random.oneIn(8) ? [random.pick(additions)] : [])].reduce(
    (text, addition) => `${text}${text.includes("?") ? "&" : "?"}${addition}`,
    target,
  );
  if (!random.oneIn(15)) return { text: withQuery, matchesOperation: true };
  const [path = "", ...query] = withQuery.split("?");
  return { text: [random.pick(pathChanges)(path), ...query].join("?"), matchesOperation: false };
}
