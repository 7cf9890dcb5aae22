/** Letters and signs of other scripts that look like a Latin letter; what Unicode's compatibility forms cover (full width, mathematical) is not here. */
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

/** Digits and signs that stand for a letter between others. */
const standIns: Readonly<Record<string, string>> = { "0": "o", "1": "i", "5": "s", l: "i", "|": "i", "!": "i" };

const standIn = /[015l|!]/g;

const latinOf = new Map(Object.entries(lookAlikes).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)));

const printable = /^[\x20-\x7e]*$/;
const latinOfPrintable = [...latinOf].filter(([other]) => printable.test(other));

/** UTF-16 units of a text that are looked at: 200 characters of a name are kept (`reads-metadata`), each two units at most. */
const maxText = 400;
/** Units that these may become: NFKD makes up to 18 of one (U+FDFA). */
const maxFolded = 18 * maxText;

const marks = /\p{M}+/gu;
const invisible = /[\p{Cc}\p{Cf}\p{M}\p{Zl}\p{Zp}]/gu;

/** Compatibility forms, accents and invisible characters undone. Marks go first: to sort a run of them takes a time that grows with its square. */
const decompose = (text: string): string =>
  text.slice(0, maxText).replace(marks, "").normalize("NFKD").slice(0, maxFolded).replace(invisible, "");

const toLatin = (decomposed: string): string =>
  [...decomposed]
    .map((character) => latinOf.get(character) ?? character)
    .join("")
    .toLowerCase();

/** A text as a reader sees it: invisible characters and accents gone, look-alike letters Latin, in lower case. Of a longer text than a name is, its beginning. */
export const foldText = (text: string): string => {
  // Most texts are plain ASCII, of which no normal form and no accent changes anything.
  if (!printable.test(text)) return toLatin(decompose(text));
  return latinOfPrintable.reduce((folded, [other, latin]) => folded.replaceAll(other, latin), text.slice(0, maxText)).toLowerCase();
};

const leadingSigns = /^[^\p{L}\p{N}]+/u;
const endsSymbol = /[\p{L}\p{N}\p{Sc}]/u;

/** Without the signs around the letters; a sign of a currency at the end may stand for a letter. From the end by hand: a pattern would start again at each sign. */
const trimSigns = (text: string): string => {
  const characters = [...text.replace(leadingSigns, "")];
  return characters.slice(0, characters.findLastIndex((character) => endsSymbol.test(character)) + 1).join("");
};

/** What two symbols share that a hurried reader takes for the same: folded, without what surrounds the letters, and digits read as the letters they resemble. */
export const skeletonOf = (symbol: string): string =>
  toLatin(trimSigns(decompose(symbol))).replace(standIn, (character) => standIns[character] ?? character);
