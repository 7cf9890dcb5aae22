import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from "saxes";
import { parseDataUrl } from "./data-url.ts";
import { isRaster } from "./media-types.ts";

/** Elements of SVG that draw (SVG 1.1, 2 and their filters and animations). Links, scripts and what holds pages are none of them. */
const drawing: ReadonlySet<string> = new Set(
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
/** Namespaces whose elements act in a page; those of drawing programs and of descriptions do not. */
const acting = /xhtml|mathml|xul|xsl|xbl|xml-events|xforms|smil/i;
/** Attributes that lead elsewhere or change where others lead. */
const leading: ReadonlySet<string> = new Set(["href", "src", "base", "action", "formaction", "data", "poster", "srcdoc", "srcset", "ping"]);

const leadsOut = "leads to something outside of it; references to its own parts and pictures inside are accepted";

/** The parser looks a namespace up through all elements around one: without a bound, a megabyte of nested ones would keep it for half an hour. */
const deepest = 100;

class NotPassive extends Error {}

/**
 * Why an SVG is not to be shown, as the end of a sentence; null for one that only draws and asks for nothing, also where somebody puts its text into a page: the parser of
 * HTML sees no namespaces, goes over to HTML inside of titles and after some elements, and then reads what stands in comments and styles as elements.
 */
export const svgFault = (text: string): string | null => {
  const parser = new SaxesParser({ xmlns: true, position: false });
  let depth = 0;
  let styles = 0;
  let words = 0;
  let css = "";
  /** Whether a namespace acts: its address may be long, and each element of it names it. */
  const actingNamespaces = new Map<string, boolean>();
  const isActing = (uri: string): boolean => {
    const known = actingNamespaces.get(uri) ?? acting.test(uri);
    actingNamespaces.set(uri, known);
    return known;
  };
  const addText = (part: string): void => {
    if (styles > 0) css += part;
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
    if (encoding !== undefined && !/^utf-?8$/i.test(encoding)) throw new NotPassive("is not in UTF-8");
  });
  parser.on("opentagstart", () => {
    if (depth >= deepest) throw new NotPassive(`is nested more than ${deepest} deep`);
  });
  parser.on("opentag", (tag) => {
    checkElement(tag, depth === 0, isActing);
    if (words > 0) throw new NotPassive("has an element in its title or description");
    depth += 1;
    if (tag.local === "style") styles += 1;
    if (isOfWords(tag)) words += 1;
  });
  parser.on("closetag", (tag) => {
    depth -= 1;
    if (tag.local === "style") styles -= 1;
    if (isOfWords(tag)) words -= 1;
  });
  parser.on("comment", (comment) => {
    // HTML 13.2.5.43: such a comment ends where it begins.
    if (/^-?>/.test(comment)) throw new NotPassive("has a comment that pages read otherwise");
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

/** Elements in which HTML begins in a page (HTML 13.2.6, "HTML integration point"). */
const isOfWords = ({ name }: SaxesTagNS): boolean => name === "title" || name === "desc";

/** Attributes with which this element ends an SVG in a page (HTML 13.2.6.5). */
const fontOfPages: ReadonlySet<string> = new Set(["color", "face", "size"]);

const checkElement = ({ name, local, uri, attributes }: SaxesTagNS, isRoot: boolean, isActing: (uri: string) => boolean): void => {
  const isSvg = uri === svgNamespace || uri === "";
  if (isRoot && !(isSvg && local === "svg")) throw new NotPassive("is no SVG");
  if (isSvg || name === local ? !drawing.has(local) : isActing(uri))
    throw new NotPassive(`has the element ${local.slice(0, 50)}, only elements that draw are accepted`);
  for (const attribute of Object.values(attributes)) checkAttribute(attribute);
  if (name === "font" && Object.keys(attributes).some((key) => fontOfPages.has(key.toLowerCase())))
    throw new NotPassive("has the element font with attributes of pages");
};

const checkAttribute = ({ prefix, local, name, value }: SaxesAttributeNS): void => {
  // Namespaces are names and lead nowhere.
  if (prefix === "xmlns" || name === "xmlns") return;
  const key = local.toLowerCase();
  if (isHandler(key)) throw new NotPassive(`has the event handler ${key.slice(0, 50)}`);
  if (key === "attributename") checkAnimated(value.trim().split(":").at(-1)?.toLowerCase() ?? "");
  if (leading.has(key) && !isPassiveReference(value)) throw new NotPassive(leadsOut);
  checkStyle(value);
};

const checkAnimated = (name: string): void => {
  if (isHandler(name) || leading.has(name)) throw new NotPassive(`animates ${name.slice(0, 50)}`);
};

const isHandler = (name: string): boolean => name.startsWith("on");

/** A part of the same picture, or a picture of pixels inside it. */
const isPassiveReference = (value: string): boolean => {
  const reference = value.trim();
  if (reference === "" || reference.startsWith("#")) return true;
  return isRaster(parseDataUrl(reference)?.type ?? "");
};

/** Of styles and of attributes that take their values: whatever can fetch names a part, or holds pixels or a font. */
const checkStyle = (css: string): void => {
  // An escape can spell any of the words below; a style sheet of a picture needs none.
  if (css.includes("\\") && /[{:;(]/.test(css)) throw new NotPassive("has an escape in a style");
  if (/@import|@charset|expression\s*\(|-moz-binding|behavior\s*:|javascript\s*:|(?:image-set|cross-fade|\bimage|\bsrc)\s*\(/i.test(css)) {
    throw new NotPassive("has a style that can fetch or act");
  }
  for (const [, target = ""] of css.matchAll(/url\s*\(\s*["']?\s*([^)"']{0,200})/gi)) {
    const type = parseDataUrl(target)?.type ?? "";
    if (!target.startsWith("#") && !isRaster(type) && !isFont(type)) {
      throw new NotPassive(leadsOut);
    }
  }
};

const isFont = (type: string): boolean =>
  /^(?:font\/[a-z0-9.+-]+|application\/(?:x-)?font-[a-z0-9.+-]+|application\/vnd\.ms-fontobject)$/.test(type);
