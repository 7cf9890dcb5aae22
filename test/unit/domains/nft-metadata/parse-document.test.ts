import { describe, expect, it } from "vitest";
import type { NftDocument } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/document.ts";
import { decodeUtf8, parseDocument } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/parse-document.ts";
import { renderCell } from "../../../../runtime/http/csv-cell.ts";

const read = (text: string): NftDocument => {
  const outcome = parseDocument(text);
  if (!outcome.ok) throw new Error(outcome.refusal);
  return outcome.document;
};
const documentOf = (value: object): NftDocument => read(JSON.stringify(value));
const attributesOf = (metadata: object) => documentOf(metadata).attributes?.map(({ trait_type, value }) => [trait_type, value]);
const image = (svg: string): string => `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;

describe("a metadata document", () => {
  it("is parsed into its fields and stored unchanged", () => {
    const text = `{ "name": "Flower #1", "description": "Red.\\nTall.", "image": "ipfs://Qm/1.png", "animation_url": "https://a.example/1.mp4",
      "external_url": "https://garden.example/1", "owner": "alice.eth" }`;
    expect(read(text)).toEqual({
      text,
      name: "Flower #1",
      description: "Red.\nTall.",
      image: "ipfs://Qm/1.png",
      animationUrl: "https://a.example/1.mp4",
      externalUrl: "https://garden.example/1",
      owner: "alice.eth",
      attributes: null,
      countedAttributes: [],
      assetBytes: null,
      refusal: null,
    });
  });

  it("has the first accepted image from the common fields", () => {
    expect(documentOf({ image_url: "https://a.example/1" }).image).toBe("https://a.example/1");
    expect(documentOf({ imageUrl: "ar://abc" }).image).toBe("ar://abc");
    expect(documentOf({ image_data: "<svg xmlns='http://www.w3.org/2000/svg'/>" }).image).toBe(
      image("<svg xmlns='http://www.w3.org/2000/svg'/>"),
    );
    expect(documentOf({ image: "", image_url: "http://a.example/1" }).image).toBe("http://a.example/1");
    expect(documentOf({ image: 5, image_url: null, imageUrl: {} }).image).toBeNull();
  });

  it("may have a number as its name; a list in place of text is ignored", () => {
    expect(documentOf({ name: 7, description: ["x"] })).toMatchObject({ name: "7", description: null });
  });

  it.each([
    ["not json", "The metadata is not JSON: unexpected character at position 1."],
    ['{"name":', "The metadata is not JSON: unexpected end."],
    ["[1]", "The metadata is not a JSON object."],
    ['"text"', "The metadata is not a JSON object."],
  ])("is rejected permanently if invalid: %s", (text, refusal) => {
    expect(parseDocument(text)).toEqual({ ok: false, refusal, isPermanent: true });
  });

  it("is UTF-8 with or without a byte order mark; invalid bytes are replaced", () => {
    expect(decodeUtf8(Buffer.from("\ufeff{}"))).toBe("{}");
    const bytes = Buffer.concat([Buffer.from('{"name":"caf'), Buffer.from([0xe9]), Buffer.from('"}')]);
    expect(read(decodeUtf8(bytes)).name).toBe("caf");
  });
});

describe("a document's text", () => {
  it("loses invisible and control characters, but not joined emoji", () => {
    expect(documentOf({ name: "a\u0000b\u001b[31m\u202ec\u200bd\ufeff\u2066" }).name).toBe("ab[31mcd");
    expect(documentOf({ name: "👩‍🚀 👨‍👩‍👧 🏳️‍🌈 🏃🏽‍♂️ a\u200db" }).name).toBe("👩‍🚀 👨‍👩‍👧 🏳️‍🌈 🏃🏽‍♂️ ab");
    expect(read('{"name":"a\\ud800b\\udc00"}').name).toBe("ab");
    expect(documentOf({ name: "one\r\n two\u2028three" }).name).toBe("one two three");
    expect(documentOf({ description: "one\r\ntwo\u2028three\u0007" }).description).toBe("one\ntwo\nthree");
    expect(documentOf({ name: " \u200b " }).name).toBeNull();
  });

  it("is truncated to 200 and 10,000 characters", () => {
    expect([...(documentOf({ name: "🦊".repeat(500) }).name ?? "")].length).toBe(200);
    expect(documentOf({ description: "x".repeat(20_000) }).description?.length).toBe(10_000);
    expect(documentOf({ owner: "x".repeat(20_000) }).owner?.length).toBe(200);
  });

  it("is unchanged even if a spreadsheet would evaluate it, and escaped in CSV", () => {
    const { name } = documentOf({ name: '=HYPERLINK("http://evil.example","win")' });
    expect(name).toBe('=HYPERLINK("http://evil.example","win")');
    expect(renderCell(name, "text")).toBe(`'${name}`);
  });
});

describe("a document's URLs", () => {
  it.each([
    ["image", "javascript:alert(1)", "Ignored image: it has the unsupported scheme javascript:."],
    ["image", " JaVaScRiPt:alert(1)", "Ignored image: it has the unsupported scheme javascript:."],
    ["image", "java\nscript:alert(1)", "Ignored image: it is not a URL."],
    ["image", "file:///etc/passwd", "Ignored image: it has the unsupported scheme file:."],
    ["image", "data:text/html,<script>", "Ignored image: it has the media type text/html; expected an image."],
    ["image", "data:,x", "Ignored image: it has the media type text/plain; expected an image."],
    ["image", "data:image/svg+xml+x,<svg/>", "Ignored image: it has the media type image/svg+xml+x; expected an image."],
    ["image", "data:video/mp4;base64,AAAA", "Ignored image: it has the media type video/mp4; expected an image."],
    ["image", "data:image/png;base64,<>", "Ignored image: it is not valid base64."],
    ["image", "1.png", "Ignored image: it is not a URL."],
    ["image", "https://", "Ignored image: it is not a URL."],
    ["image", `https://a.example/${"x".repeat(2_048)}`, "Ignored image: it has more than 2048 characters."],
    ["animation_url", "data:text/html,x", "Ignored animation_url: it has the media type text/html; expected an image, video or audio."],
    ["external_url", "data:text/html,x", "Ignored external_url: it has the scheme data:; expected http: or https:."],
    ["external_url", "vbscript:x", "Ignored external_url: it has the unsupported scheme vbscript:."],
  ])("are refused with a reason: %s %s", (field, address, refusal) => {
    const document = documentOf({ name: "Kept", [field]: address });
    expect(document).toMatchObject({ name: "Kept", image: null, animationUrl: null, externalUrl: null, refusal });
  });

  it("may be data: URLs with images, video or audio, and are then re-encoded", () => {
    const pixel = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
    const document = documentOf({
      image: `DATA: image/PNG ;x=y; base64 ,${pixel.toString("base64")}`,
      animation_url: "data:audio/mpeg,%00%01",
    });
    expect(document.image).toBe(`data:image/png;base64,${pixel.toString("base64")}`);
    expect(document.animationUrl).toBe("data:audio/mpeg;base64,AAE=");
    // The asset is the animation, if there is one.
    expect(document.assetBytes).toBe(2);
    expect(documentOf({ image: document.image }).assetBytes).toBe(4);
    expect(documentOf({ image: document.image, animation_url: "https://a.example/1.mp4" }).assetBytes).toBeNull();
  });

  it("are escaped if they contain invalid characters", () => {
    expect(documentOf({ image: 'https://a.example/a b"><script>' }).image).toBe("https://a.example/a%20b%22%3E%3Cscript%3E");
    expect(documentOf({ image: "ipfs://Qm/a b%20<c>.png" }).image).toBe("ipfs://Qm/a%20b%20%3Cc%3E.png");
  });

  it("may be a bare content identifier", () => {
    const id = "bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi";
    expect(documentOf({ image: `${id}/1.png` }).image).toBe(`ipfs://${id}/1.png`);
  });

  it("fall back to the next field if refused, and the refusal is stored", () => {
    const document = documentOf({ image: "javascript:x", image_url: "https://a.example/1" });
    expect(document.image).toBe("https://a.example/1");
    expect(document.refusal).toContain("javascript:");
  });
});

describe("a document's attributes", () => {
  it("may be pairs in any common form", () => {
    const attributes = [
      { trait_type: "Colour", value: "Red" },
      { trait: "Shape", value: "Round" },
      { key: "Size", value: 7 },
      { name: "Rare", value: true },
      { trait_type: "Hat", value: null },
      { trait_type: "Scarf" },
      { value: "Happy" },
      { Back: "Blue", Front: 2 },
      "alone",
      3,
      null,
      [{ trait_type: "Deep", value: "in" }],
      { trait_type: "Many", value: ["a", "b"] },
      { trait_type: "Odd", value: { a: [1, 2.5] } },
    ];
    expect(attributesOf({ attributes })).toEqual([
      ["Colour", "Red"],
      ["Shape", "Round"],
      ["Size", "7"],
      ["Rare", "true"],
      ["Hat", null],
      ["Scarf", null],
      [null, "Happy"],
      ["Back", "Blue"],
      ["Front", "2"],
      [null, "alone"],
      [null, "3"],
      ["Deep", "in"],
      ["Many", "a"],
      ["Many", "b"],
      ["Odd", '{"a":[1,2.5]}'],
    ]);
  });

  it("may be an object, in traits or properties; the first field that has any is used", () => {
    expect(attributesOf({ attributes: { Colour: "Red", Size: 7 } })).toEqual([
      ["Colour", "Red"],
      ["Size", "7"],
    ]);
    expect(attributesOf({ traits: [{ trait_type: "A", value: "B" }] })).toEqual([["A", "B"]]);
    expect(
      attributesOf({
        properties: { simple: "x", rich: { name: "Name", value: "123", class: "bold" }, list: { name: "L", value: [1, 2] } },
      }),
    ).toEqual([
      ["simple", "x"],
      ["Name", "123"],
      ["L", "1"],
      ["L", "2"],
    ]);
    expect(attributesOf({ attributes: [], properties: { a: 1 } })).toEqual([["a", "1"]]);
    expect(attributesOf({ attributes: [] })).toEqual([]);
    expect(documentOf({ attributes: "none" }).attributes).toBeNull();
  });

  it("are counted with their exact numbers; values without a trait are not counted", () => {
    const text = `{"attributes":[
      {"trait_type":"Exact","value":12345678901234567890}, {"trait_type":"Huge","value":1e400}, {"trait_type":"Half","value":5.50},
      {"trait_type":"Level","display_type":"number","value":"12"}, {"trait_type":"Text","value":"12"}, {"trait_type":"Word","display_type":"number","value":"x"},
      {"trait_type":"Boost","display_type":"boost_percentage","value":10,"max_value":50}, {"value":5}, {"trait_type":"Yes","value":true}]}`;
    expect(read(text).countedAttributes).toEqual([
      { trait: "Exact", value: "12345678901234567890", number: "12345678901234567890" },
      { trait: "Huge", value: `1${"0".repeat(255)}`, number: `1${"0".repeat(400)}` },
      { trait: "Half", value: "5.5", number: "5.5" },
      { trait: "Level", value: "12", number: "12" },
      { trait: "Text", value: "12", number: null },
      { trait: "Word", value: "x", number: null },
      { trait: "Boost", value: "10", number: "10" },
      { trait: "Yes", value: "true", number: null },
    ]);
  });

  it("are counted by their Unix seconds if they are dates", () => {
    // 1546360800 is 2019-01-01T16:40:00Z: 17,897 days of 86,400 s and 60,000 s.
    expect(17_897 * 86_400 + 60_000).toBe(1_546_360_800);
    const attributes = [1_546_360_800, 1_546_360_800_000, "1546360800", "soon", -5, 1e300].map((value) => ({
      trait_type: "Born",
      display_type: "date",
      value,
    }));
    const document = documentOf({ attributes });
    const born = "2019-01-01T16:40:00Z";
    expect(document.attributes?.map(({ value }) => value?.slice(0, 20))).toEqual([born, born, born, "soon", "-5", `1${"0".repeat(19)}`]);
    expect(document.countedAttributes[0]?.number).toBe("1546360800");
  });

  it("are limited to 512, with bounded text", () => {
    const many = documentOf({ attributes: Array.from({ length: 600 }, (_, index) => ({ trait_type: `T${index}`, value: index })) });
    expect(many.attributes?.length).toBe(512);
    expect(many.countedAttributes.length).toBe(512);
    expect(many.refusal).toBe("Only the first 512 attributes are stored.");
    const long = documentOf({ attributes: [{ trait_type: "t".repeat(5_000), value: "v".repeat(5_000) }] });
    expect(long.attributes?.[0]).toEqual({ trait_type: "t".repeat(256), value: "v".repeat(1_000) });
    expect(long.countedAttributes[0]).toEqual({ trait: "t".repeat(256), value: "v".repeat(256), number: null });
    expect(documentOf({ attributes: Array.from({ length: 512 }, () => "x") }).refusal).toBeNull();
  });

  it("are ignored if they are nested too deeply", () => {
    let nested: unknown = "deep";
    for (let depth = 0; depth < 50; depth += 1) nested = [nested];
    expect(attributesOf({ attributes: [nested, { trait_type: "A", value: 1 }] })).toEqual([["A", "1"]]);
  });
});
