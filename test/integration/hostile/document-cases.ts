import { encodeAbiParameters, parseAbiParameters } from "viem";
import { fileTypeOf } from "../../../runtime/api/nft/view-nft.ts";
import { redact as redactNodeText } from "../../../runtime/chain/redact.ts";
import { checkAssetUrl } from "../../../runtime/domains/nft-metadata/jobs/fetch/documents/asset-url.ts";
import { cleanLine, cleanText } from "../../../runtime/domains/nft-metadata/jobs/fetch/documents/clean-text.ts";
import { decodeData, parseDataUrl } from "../../../runtime/domains/nft-metadata/jobs/fetch/documents/data-url.ts";
import { arweavePath, ipfsPath } from "../../../runtime/domains/nft-metadata/jobs/fetch/documents/gateway-path.ts";
import { hostOf } from "../../../runtime/domains/nft-metadata/jobs/fetch/documents/host.ts";
import { parseJsonText, plainNumber } from "../../../runtime/domains/nft-metadata/jobs/fetch/documents/json-text.ts";
import { decodeUtf8, parseDocument } from "../../../runtime/domains/nft-metadata/jobs/fetch/documents/parse-document.ts";
import { svgProblem } from "../../../runtime/domains/nft-metadata/jobs/fetch/documents/passive-svg.ts";
import { decodeUri } from "../../../runtime/domains/nft-metadata/jobs/fetch/token-uri.ts";
import type { Hex } from "../../../runtime/lib/hex.ts";
import { refuse } from "../../../runtime/web/refusals.ts";
import type { DoublingCase } from "./find-growth.ts";

const svg = (content: string, attributes = ""): string => `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`;
const numbered = (size: number, render: (index: number) => string, separator = " "): string =>
  Array.from({ length: size }, (_, index) => render(index)).join(separator);

const svgTexts: readonly (readonly [string, number, (size: number) => string])[] = [
  ["elements in a namespace with a long URI", 4_000, (size) => svg("<a:b/>".repeat(size), `xmlns:a="${"u".repeat(10 * size)}"`)],
  [
    "attributes",
    4_000,
    (size) =>
      svg(
        "",
        numbered(size, (index) => `a${index}="x"`),
      ),
  ],
  ["attributes in a namespace", 4_000, (size) => svg("", `xmlns:q="x" ${numbered(size, (index) => `q:a${index}="x"`)}`)],
  [
    "namespaces",
    2_000,
    (size) =>
      svg(
        "<g/>".repeat(size),
        numbered(size, (index) => `xmlns:a${index}="x"`),
      ),
  ],
  [
    "namespaces looked up through deep elements",
    1_000,
    (size) => svg(`${"<g>".repeat(90)}${'<q:b q:c="1"/>'.repeat(size)}${"</g>".repeat(90)}`, 'xmlns:q="x"'),
  ],
  ["unclosed elements", 2_000, (size) => `<svg>${"<g>".repeat(size)}`],
  ["entities", 4_000, (size) => svg(`<text>${"&amp;&#x41;".repeat(size)}</text>`)],
  ["entities in an attribute", 4_000, (size) => svg("", `a="${"&#65;".repeat(size)}"`)],
  ["an unterminated entity", 4_000, (size) => `<svg a="&${"a".repeat(size)}`],
  ["references in a style", 2_000, (size) => svg(`<style>${"url(#".repeat(size)}</style>`)],
  ["spaces before a missing bracket", 2_000, (size) => svg(`<style>${`url${" ".repeat(50)}`.repeat(size / 50)}</style>`)],
  ["many spaces before a missing bracket", 4_000, (size) => svg(`<style>expression${" ".repeat(size)}</style>`)],
  ["words that start like fetching functions", 2_000, (size) => svg(`<style>${"image src behavior ".repeat(size / 4)}</style>`)],
  ["styles", 4_000, (size) => svg("<style>a{}</style>".repeat(size))],
  ["comments", 2_000, (size) => svg(`<!--${"- ".repeat(size)}-->${"<!-- -->".repeat(size)}`)],
  ["character data", 2_000, (size) => svg(`<text><![CDATA[${"]] ".repeat(size)}]]></text>`)],
  ["a long name", 4_000, (size) => svg(`<${"a".repeat(size)}/>`)],
];

const documentTexts: readonly (readonly [string, number, (size: number) => string])[] = [
  ["nested arrays", 2_000, (size) => `{"a":${"[".repeat(60)}${"1,".repeat(size)}1${"]".repeat(60)}}`],
  // For larger texts, garbage collection copies the arrays, and the time grows faster than the size.
  ["consecutive arrays", 500, (size) => `{"a":[${"[[[[]]]],".repeat(size)}1]}`],
  ["escapes", 4_000, (size) => `{"name":"${"\\\\\\u0041".repeat(size)}"}`],
  ["control characters", 2_000, (size) => `{"name":"${"\n\u0001".repeat(size)}"}`],
  ["a long number", 10_000, (size) => `{"name":${"1".repeat(size)}}`],
  ["one repeated key", 2_000, (size) => `{${'"a":1,'.repeat(size)}"a":1}`],
  ["traits of every shape", 2_000, (size) => `{"attributes":[${'{"trait_type":{"a":["x"]},"value":[1,[2,[3,{"a":1}]]]},'.repeat(size)}1]}`],
  ["traits by name", 4_000, (size) => `{"attributes":{${numbered(size, (index) => `"${index}":{"x":{"y":[1]}}`, ",")}}}`],
  [
    "one trait with a deep value",
    2_000,
    (size) => `{"attributes":[{"trait_type":"a","value":{"a":${"[".repeat(50)}${"1,".repeat(size)}1${"]".repeat(50)}}}]}`,
  ],
  ["invisible characters", 4_000, (size) => `{"name":"${"\u200d\u0301a".repeat(size)}","description":"${"\u200d\ufe0f".repeat(size)}"}`],
  ["an escaped image", 2_000, (size) => `{"image":"data:image/svg+xml,${"%3C".repeat(size)}"}`],
  ["a base64 image with spaces", 2_000, (size) => `{"image":"data:image/png;base64,${" A".repeat(size)}="}`],
  ["a base64 image with repeated padding", 4_000, (size) => `{"image":"data:image/png;base64,${"=".repeat(size)}"}`],
  [
    "refused images",
    2_000,
    (size) =>
      `{${["image", "image_url", "imageUrl", "image_data"].map((key) => `"${key}":"<svg><a ${"b='c' ".repeat(size)}/></svg>"`).join(",")}}`,
  ],
];

const urls: readonly (readonly [string, number, (size: number) => string])[] = [
  ["labels", 2_000, (size) => `https://${"a.".repeat(size)}`],
  ["user names", 2_000, (size) => `https://${"a@".repeat(size)}`],
  ["parent segments", 2_000, (size) => `https://a/${"../a/".repeat(size)}`],
  ["dots in a path", 2_000, (size) => `https://a/${"a/.".repeat(size)}!`],
  ["escapes", 2_000, (size) => `ipfs://${"%25".repeat(size)}`],
  ["segments", 2_000, (size) => `ipfs://Qm${"a".repeat(44)}/${"%2e/".repeat(size)}`],
  ["media type parameters", 2_000, (size) => `data:${";a".repeat(size)},x`],
  ["white space", 4_000, (size) => `${" ".repeat(size)}data:,x`],
  ["white space in base64", 2_000, (size) => `data:;base64,${" \t".repeat(size)}!`],
  ["incomplete escapes", 4_000, (size) => `data:,${"%%4%4".repeat(size)}`],
];

const casesOf = (name: string, run: (text: string) => unknown, texts: typeof svgTexts): DoublingCase[] =>
  texts.map(([description, size, input]) => ({ name: `${name} for ${description}`, size, input, run }));

const resultOrError = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};
const nodeUrl = new URL("http://user:password@node.example/a-long-key?token=another-long-key");
const uriOf = (data: Hex): string | null => decodeUri({ ok: true, data }, { token: "0x", token_id: "1", standard: 3 });

export const documentCases: readonly DoublingCase[] = [
  ...casesOf("passive-svg: svgProblem", svgProblem, svgTexts),
  ...casesOf("json-text: parseJsonText", (text) => resultOrError(() => parseJsonText(text)), documentTexts),
  ...casesOf("parse-document: parseDocument", parseDocument, documentTexts),
  ...casesOf("asset-url: checkAssetUrl", (text) => checkAssetUrl(text, "image or recording"), urls),
  ...casesOf(
    "data-url: decodeData",
    (text) => {
      const url = parseDataUrl(text);
      return url === null ? null : decodeData(url);
    },
    urls,
  ),
  ...casesOf("gateway-path: ipfsPath and arweavePath", (text) => [ipfsPath(text), arweavePath(text)], urls),
  ...casesOf("host: hostOf", hostOf, urls),
  ...casesOf("view-nft: fileAt", fileTypeOf, urls),
  ...casesOf("clean-text: cleanLine", (text) => cleanLine(text, 1_000_000), [
    ["white space and joiners", 2_000, (size) => " \u200d\u2028".repeat(size)],
    ["unpaired surrogates", 2_000, (size) => "\ud83d".repeat(size)],
  ]),
  ...casesOf("clean-text: cleanText", (text) => cleanText(text, 1_000_000), [
    ["line ends", 2_000, (size) => "\r\r\n\u2028".repeat(size)],
    ["emoji and joiners", 2_000, (size) => "\u{1f468}\ufe0f\u{1f3fb}\u200d".repeat(size)],
  ]),
  ...casesOf("json-text: plainNumber", plainNumber, [
    ["digits", 10_000, (size) => "9".repeat(size)],
    ["zeros", 400, (size) => `0.${"0".repeat(size)}1`],
  ]),
  { name: "parse-document: textOfBytes for invalid UTF-8", size: 5_000, input: (size) => Buffer.alloc(size, 0xf0), run: decodeUtf8 },
  {
    name: "token-uri: decodeUri for many {id} placeholders",
    size: 500,
    input: (size) => encodeAbiParameters(parseAbiParameters("string"), ["{id}".repeat(size)]),
    run: uriOf,
  },
  ...casesOf("chain/redact: redact", (text) => redactNodeText(text, nodeUrl), [
    ["names that start like a scheme", 2_000, (size) => "a.".repeat(size)],
    ["schemes", 2_000, (size) => "a://".repeat(size)],
    ["the node's key", 5_000, (size) => "a-long-key".repeat(size)],
    ["control characters", 4_000, (size) => "\u0001a".repeat(size)],
  ]),
  ...casesOf("web/refusals: refuse", (text) => refuse("connection", text, text), [
    ["letters beyond ASCII", 4_000, (size) => "\u0430a".repeat(size)],
  ]),
];
