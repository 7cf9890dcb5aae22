import { describe, expect, it } from "vitest";
import { svgProblem } from "../../../../runtime/domains/nft-metadata/jobs/fetch/documents/passive-svg.ts";
import { scaleTimeLimit } from "../../../support/scale-time-limit.ts";

const svg = (content: string, attributes = ""): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" ${attributes}>${content}</svg>`;

describe("a passive SVG", () => {
  it.each([
    svg(
      '<rect width="100%" height="100%" fill="url(#g)"/><defs><linearGradient id="g"><stop offset="0" stop-color="#fff"/></linearGradient></defs>',
    ),
    svg(
      "<style>.base { fill: white; font-family: serif; } @media (min-width: 1px) { a { fill: url( '#g' ) } }</style><text class='base'>Sword &amp; &#x1f98a;</text>",
    ),
    svg("<style>@font-face { font-family: P; src: url(data:font/woff2;base64,AAAA) format('woff2') }</style>"),
    svg('<image href="data:image/png;base64,AAAA"/><use xlink:href="#a"/><g id="a" style="filter:url(&quot;#f&quot;)"/>'),
    svg('<rect><animate attributeName="fill" values="red;blue" dur="1s" repeatCount="indefinite"/></rect>'),
    '<?xml version="1.0" encoding="UTF-8"?>\n<!-- made here -->\n<svg viewBox="0 0 1 1"/>',
    svg('<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="x"/></rdf:RDF></metadata>'),
    svg('<sodipodi:namedview xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" pagecolor="#fff"/>'),
    svg('<title>A &lt;b&gt;</title><desc>one</desc><!-- <rect/> --><font id="f"><font-face font-family="P"/></font>'),
    svg("<text>C:\\path</text>", 'font-family="Arial" aria-label="C:\\path"').replace(' aria-label="C:\\path"', ""),
  ])("is accepted: %s", (text) => {
    expect(svgProblem(text)).toBeNull();
  });
});

describe("an SVG with active content or external references", () => {
  const externalReference = "has an external reference; expected same-document references or embedded images";
  it.each([
    [svg("<script>alert(1)</script>"), "has the element script; expected drawing elements"],
    ['<svg><script href="https://evil.example"/></svg>', "has the element script; expected drawing elements"],
    ['<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script/></s:svg>', "has the element script; expected drawing elements"],
    [svg("<foreignObject><p/></foreignObject>"), "has the element foreignObject; expected drawing elements"],
    [svg('<h:iframe xmlns:h="http://www.w3.org/1999/xhtml" src="data:image/png,"/>'), "has the element iframe; expected drawing elements"],
    [svg('<a href="https://evil.example"><text>x</text></a>'), "has the element a; expected drawing elements"],
    [svg("<handler/>"), "has the element handler; expected drawing elements"],
    [svg("", 'onload="alert(1)"'), "has the event handler onload"],
    [svg('<rect ONCLICK="x"/>'), "has the event handler onclick"],
    [svg('<sodipodi:v xmlns:sodipodi="x" onfocus="x"/>'), "has the event handler onfocus"],
    [svg('<image href="https://evil.example/x.png"/>'), externalReference],
    [svg('<image xlink:href="//evil.example/x.png"/>'), externalReference],
    [svg('<use href="other.svg#a"/>'), externalReference],
    [svg('<image href="data:image/svg+xml;base64,AAAA"/>'), externalReference],
    [svg('<use href="data:text/html,x"/>'), externalReference],
    [svg('<image href="java&#x73;cript:alert(1)"/>'), externalReference],
    [svg('<feImage href="http://169.254.169.254/"/>'), externalReference],
    [svg("", 'xml:base="https://evil.example/"'), externalReference],
    [svg('<rect fill="url(https://evil.example/#a)"/>'), externalReference],
    [svg("<rect style=\"fill: URL( 'https://evil.example' )\"/>"), externalReference],
    [svg("<style>a{background:url(//evil.example)}</style>"), externalReference],
    [svg("<style><![CDATA[a{background:url(//evil.example)}]]></style>"), externalReference],
    [svg("<style>a{background:ur<g/>l(//evil.example)}</style>"), externalReference],
    [svg("<style>a{background:url(//evil.example</style>"), externalReference],
    [svg("<style>@import 'https://evil.example';</style>"), "has a style that can fetch or execute"],
    [svg("<style>a{background:image-set('https://evil.example' 1x)}</style>"), "has a style that can fetch or execute"],
    [svg("<style>a{background:\\75rl(//evil.example)}</style>"), "has an escape in a style"],
    [svg('<rect><animate attributeName="href" to="https://evil.example"/></rect>'), "animates href"],
    [svg('<rect><set attributeName="xlink:href" to="javascript:x"/></rect>'), "animates href"],
    [svg('<rect><set attributeName="onclick" to="x"/></rect>'), "animates onclick"],
    ['<!DOCTYPE svg [<!ENTITY x "y">]><svg/>', "has a document type, which can define entities"],
    ['<!DOCTYPE svg [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><svg>&b;</svg>', "has a document type, which can define entities"],
    ['<?xml-stylesheet href="https://evil.example"?><svg/>', "has a processing instruction"],
    ['<?xml version="1.0" encoding="UTF-7"?><svg/>', "is not encoded in UTF-8"],
    [svg("<g>".repeat(100)), "has more than 100 levels of nesting"],
    [svg('<script xmlns="urn:x">alert(1)</script>'), "has the element script; expected drawing elements"],
    [svg('<metadata><iframe xmlns="urn:x"/></metadata>'), "has the element iframe; expected drawing elements"],
    [svg("<!--><script>alert(1)</script>-->"), "has a comment that HTML parsers read differently"],
    [svg("<!---><script>alert(1)</script>-->"), "has a comment that HTML parsers read differently"],
    [svg("<title><style><![CDATA[</style><script>alert(1)</script>]]></style></title>"), "has an element in its title or description"],
    [svg("<desc><g/></desc>"), "has an element in its title or description"],
    [svg('<font Color="a"/><style><!-- </style><script>alert(1)</script> --></style>'), "has a font element with HTML attributes"],
    ["<html/>", "is not an SVG"],
    ['<svg xmlns="http://www.w3.org/1999/xhtml"/>', "is not an SVG"],
  ])("is refused: %s", (text, reason) => {
    expect(svgProblem(text)).toBe(reason);
  });

  it.each([
    "",
    "<svg",
    "<svg><g></svg>",
    "<svg>&unknown;</svg>",
    "<svg a=1/>",
    '<svg><use xlink:href="#a"/></svg>',
    "<svg/><script/>",
    "text",
  ])("is refused if it is not XML: %j", (text) => {
    expect(svgProblem(text)).toMatch(/^is not well-formed XML/);
  });

  it("is checked in linear time", () => {
    const start = Date.now();
    for (const text of [
      "<svg>".repeat(200_000),
      svg(`<style>${"url ".repeat(250_000)}</style>`),
      svg("", `d="${"url(  ".repeat(150_000)}"`),
      `<svg ${"a ".repeat(500_000)}`,
    ]) {
      svgProblem(text);
    }
    expect(Date.now() - start).toBeLessThan(scaleTimeLimit(5_000));
  });
});
