/** Characters that look like a Latin letter, except those that Unicode's compatibility decomposition covers (full-width, mathematical). */
const lookAlikes: Readonly<Record<string, string>> = {
  a: "АаΑαᎪᴀɑꓮ₳",
  b: "ВвΒᏴʙꓐ฿₿",
  c: "СсϹϲᏟᴄꓚ₵¢",
  d: "ԀԁᎠᴅꓓĐđÐð",
  e: "ЕеЁёΕᎬᴇꓰ€Ξ",
  f: "Ϝꓝƒ",
  g: "Ԍԍɢꓖց",
  h: "НнҺһΗᎻʜꓧհ",
  i: "ІіΙιᎥɪıꓲӀӏ",
  j: "ЈјᎫᴊꓙ",
  k: "КкΚκᏦᴋꓗ",
  l: "ᏞʟꓡԼ",
  m: "МмΜᎷᴍꓟ",
  n: "Νɴꓠոη",
  o: "ОоΟοσᴏꓳՕօØø",
  p: "РрΡρᏢᴘꓑ₱",
  q: "Ԛԛ",
  r: "ᎡᏒʀꓣг",
  s: "ЅѕᏚꜱꓢՏ$ʂ",
  t: "ТтΤτᎢᴛꓔ₮Ŧŧ",
  u: "ՍսυᴜꓴՄᑌ",
  v: "νѴѵᏙᴠꓦ",
  w: "ԜԝᎳᴡꓪ₩",
  x: "ХхΧχꓫ",
  y: "УуҮүΥγʏꓬ¥",
  z: "ΖᏃᴢꓜ",
};

/** Characters that are used in place of a letter. */
const substitutes: Readonly<Record<string, string>> = { "0": "o", "1": "i", "5": "s", l: "i", "|": "i", "!": "i" };

const substitutePattern = /[015l|!]/g;

const latinOf = new Map(Object.entries(lookAlikes).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)));

const printable = /^[\x20-\x7e]*$/;
const latinOfPrintable = [...latinOf].filter(([other]) => printable.test(other));

/** Max UTF-16 code units of a text: stored names have up to 200 characters (`metadata-reads`) of one or two units. */
const maxTextLength = 400;
/** Max UTF-16 code units after NFKD, which expands one unit to at most 18 (U+FDFA). */
const maxDecomposedLength = 18 * maxTextLength;

const marks = /\p{M}+/gu;
const invisible = /[\p{Cc}\p{Cf}\p{M}\p{Zl}\p{Zp}]/gu;

/**
 * Applies compatibility decomposition; removes accents and invisible characters. Marks are removed first: normalization sorts runs of them in quadratic time.
 */
const decompose = (text: string): string =>
  text.slice(0, maxTextLength).replace(marks, "").normalize("NFKD").slice(0, maxDecomposedLength).replace(invisible, "");

const toLatin = (decomposed: string): string =>
  [...decomposed]
    .map((character) => latinOf.get(character) ?? character)
    .join("")
    .toLowerCase();

/**
 * A text as it looks to a reader: in lower case, without invisible characters and accents, with Latin letters in place of look-alikes. Truncated to the max
 * name length.
 */
export const foldText = (text: string): string => {
  // Most texts are plain ASCII, which normalization leaves unchanged.
  if (!printable.test(text)) return toLatin(decompose(text));
  return latinOfPrintable.reduce((folded, [other, latin]) => folded.replaceAll(other, latin), text.slice(0, maxTextLength)).toLowerCase();
};

const leadingPunctuation = /^[^\p{L}\p{N}]+/u;
const lastCharacter = /[\p{L}\p{N}\p{Sc}]/u;

/**
 * Removes surrounding punctuation, but not a final currency sign, which may replace a letter. A regular expression anchored at the end would take quadratic
 * time.
 */
const trimPunctuation = (text: string): string => {
  const characters = [...text.replace(leadingPunctuation, "")];
  return characters.slice(0, characters.findLastIndex((character) => lastCharacter.test(character)) + 1).join("");
};

/** The common form of symbols that look alike: folded, without surrounding punctuation, and with letters in place of the digits that resemble them. */
export const skeletonOf = (symbol: string): string =>
  toLatin(trimPunctuation(decompose(symbol))).replace(substitutePattern, (character) => substitutes[character] ?? character);
