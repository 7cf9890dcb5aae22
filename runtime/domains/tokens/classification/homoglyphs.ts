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

/** A text as a reader sees it: invisible characters and accents gone, look-alike letters Latin, in lower case. */
export const foldText = (text: string): string => {
  // Most texts are plain ASCII, of which no normal form and no accent changes anything.
  if (printable.test(text)) return latinOfPrintable.reduce((folded, [other, latin]) => folded.replaceAll(other, latin), text).toLowerCase();
  return foldAny(text);
};

const foldAny = (text: string): string =>
  [...text.normalize("NFKC")]
    .map((character) => latinOf.get(character) ?? character)
    .join("")
    .normalize("NFKD")
    .replace(/[\p{Cc}\p{Cf}\p{M}\p{Zl}\p{Zp}]/gu, "")
    .toLowerCase();

/** What two symbols share that a hurried reader takes for the same: folded, without what surrounds the letters, and digits read as the letters they resemble. */
export const skeletonOf = (symbol: string): string => {
  const bare = symbol.normalize("NFKC").replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}\p{Sc}]+$/gu, "");
  return foldText(bare).replace(standIn, (character) => standIns[character] ?? character);
};
