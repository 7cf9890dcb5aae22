import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from "saxes";
import { parseDataUrl } from "./data-url.ts";
import { isRaster } from "./media-types.ts";

/** Elements of SVG 1.1 and 2 that draw, filter or animate. Links, scripts and embedded pages are excluded. */
const drawingElements: ReadonlySet<string> = new Set(
  (
    "svg g defs symbol use switch title desc metadata style path rect circle ellipse line polyline polygon text tspan textPath tref image marker " +
    "linearGradient radialGradient stop pattern clipPath mask filter view font font-face glyph missing-glyph hkern vkern cursor " +
    "animate animateColor animateMotion animateTransform set mpath " +
    "feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood " +
    "feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight " +
    "feTile feTurbulence"
  ).split(" "),
);
const svgNamespace = "http://www.w3.org/2000/svg";
/** Namespaces with active elements. The namespaces of editors and metadata are harmless. */
const activeNamespace = /xhtml|mathml|xul|xsl|xbl|xml-events|xforms|smil/i;
/** Attributes that contain references or change the target of references. */
const referenceAttributes: ReadonlySet<string> = new Set([
  "href",
  "src",
  "base",
  "action",
  "formaction",
  "data",
  "poster",
  "srcdoc",
  "srcset",
  "ping",
]);

const externalReference = "has an external reference; expected same-document references or embedded images";

/** The parser searches all ancestors for a namespace: without a limit, a megabyte of nested elements would take half an hour. */
const maxDepth = 100;

class NotPassive extends Error {}

/**
 * Why an SVG is not safe to show, as a predicate ("has a processing instruction"); null if it only draws and fetches nothing, even if its text is pasted into
 * a page. The HTML parser ignores namespaces, switches to HTML inside titles and after some elements, and then parses the text of comments and styles as
 * elements.
 */
export const svgProblem = (text: string): string | null => {
  const parser = new SaxesParser({ xmlns: true, position: false });
  let depth = 0;
  let styleDepth = 0;
  let textDepth = 0;
  let css = "";
  /** Caches whether a namespace is active: its URI may be long, and every element repeats it. */
  const activeNamespaces = new Map<string, boolean>();
  const isActive = (uri: string): boolean => {
    const active = activeNamespaces.get(uri) ?? activeNamespace.test(uri);
    activeNamespaces.set(uri, active);
    return active;
  };
  const addText = (part: string): void => {
    if (styleDepth > 0) css += part;
  };
  parser.on("error", (error) => {
    throw new NotPassive(`is not well-formed XML (${error.message.slice(0, 100)})`);
  });
  parser.on("doctype", () => {
    throw new NotPassive("has a document type, which can define entities");
  });
  parser.on("processinginstruction", () => {
    throw new NotPassive("has a processing instruction");
  });
  parser.on("xmldecl", ({ encoding }) => {
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) throw new NotPassive("is not encoded in UTF-8");
  });
  parser.on("opentagstart", () => {
    if (depth >= maxDepth) throw new NotPassive(`has more than ${maxDepth} levels of nesting`);
  });
  parser.on("opentag", (tag) => {
    checkElement(tag, depth === 0, isActive);
    if (textDepth > 0) throw new NotPassive("has an element in its title or description");
    depth += 1;
    if (tag.local === "style") styleDepth += 1;
    if (isHtmlIntegrationPoint(tag)) textDepth += 1;
  });
  parser.on("closetag", (tag) => {
    depth -= 1;
    if (tag.local === "style") styleDepth -= 1;
    if (isHtmlIntegrationPoint(tag)) textDepth -= 1;
  });
  parser.on("comment", (comment) => {
    // An HTML parser ends this comment at its start (HTML 13.2.5.43).
    if (/^-?>/.test(comment)) throw new NotPassive("has a comment that HTML parsers read differently");
  });
  parser.on("text", addText);
  parser.on("cdata", addText);
  try {
    parser.write(text).close();
    checkStyle(css);
    return null;
  } catch (error) {
    if (error instanceof NotPassive) return error.message;
    throw error;
  }
};

/** Whether the HTML parser reads the content of an element as HTML (HTML 13.2.6, "HTML integration point"). */
const isHtmlIntegrationPoint = ({ name }: SaxesTagNS): boolean => name === "title" || name === "desc";

/** Attributes with which a font element closes the SVG when it is parsed as HTML (HTML 13.2.6.5). */
const htmlFontAttributes: ReadonlySet<string> = new Set(["color", "face", "size"]);

const checkElement = ({ name, local, uri, attributes }: SaxesTagNS, isRoot: boolean, isActive: (uri: string) => boolean): void => {
  const isSvg = uri === svgNamespace || uri === "";
  if (isRoot && !(isSvg && local === "svg")) throw new NotPassive("is not an SVG");
  if (isSvg || name === local ? !drawingElements.has(local) : isActive(uri))
    throw new NotPassive(`has the element ${local.slice(0, 50)}; expected drawing elements`);
  for (const attribute of Object.values(attributes)) checkAttribute(attribute);
  if (name === "font" && Object.keys(attributes).some((key) => htmlFontAttributes.has(key.toLowerCase())))
    throw new NotPassive("has a font element with HTML attributes");
};

const checkAttribute = ({ prefix, local, name, value }: SaxesAttributeNS): void => {
  // Namespace declarations are not references.
  if (prefix === "xmlns" || name === "xmlns") return;
  const key = local.toLowerCase();
  if (isHandler(key)) throw new NotPassive(`has the event handler ${key.slice(0, 50)}`);
  if (key === "attributename") checkAnimated(value.trim().split(":").at(-1)?.toLowerCase() ?? "");
  if (referenceAttributes.has(key) && !isPassiveReference(value)) throw new NotPassive(externalReference);
  checkStyle(value);
};

const checkAnimated = (name: string): void => {
  if (isHandler(name) || referenceAttributes.has(name)) throw new NotPassive(`animates ${name.slice(0, 50)}`);
};

const isHandler = (name: string): boolean => name.startsWith("on");

/** Whether a reference is to a part of the same image or to an embedded raster image. */
const isPassiveReference = (value: string): boolean => {
  const reference = value.trim();
  if (reference === "" || reference.startsWith("#")) return true;
  return isRaster(parseDataUrl(reference)?.type ?? "");
};

/** Checks a style sheet, or an attribute that may contain style values: URLs must be references to parts, embedded raster images or embedded fonts. */
const checkStyle = (css: string): void => {
  // An escape can spell any of the keywords below, and no image's style sheet needs one.
  if (css.includes("\\") && /[{:;(]/.test(css)) throw new NotPassive("has an escape in a style");
  if (/@import|@charset|expression\s*\(|-moz-binding|behavior\s*:|javascript\s*:|(?:image-set|cross-fade|\bimage|\bsrc)\s*\(/i.test(css)) {
    throw new NotPassive("has a style that can fetch or execute");
  }
  for (const [, target = ""] of css.matchAll(/url\s*\(\s*["']?\s*([^)"']{0,200})/gi)) {
    const type = parseDataUrl(target)?.type ?? "";
    if (!target.startsWith("#") && !isRaster(type) && !isFont(type)) {
      throw new NotPassive(externalReference);
    }
  }
};

const isFont = (type: string): boolean =>
  /^(?:font\/[a-z0-9.+-]+|application\/(?:x-)?font-[a-z0-9.+-]+|application\/vnd\.ms-fontobject)$/.test(type);
