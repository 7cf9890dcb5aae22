/** Characters that a terminal, a page or a table would act on, and lone surrogates. Of the invisible ones, joiners inside emoji stay. */
const hidden =
  /(?<!\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/gu;
const hiddenInLines =
  /(?<!\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?![\u200d\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/gu;

/** Cleans text of one line and cuts it to a number of characters; null if nothing is left. */
export const cleanLine = (text: string, maxLength: number): string | null =>
  cut(
    text
      .slice(0, 4 * maxLength)
      .replace(/[\s\p{Zl}\p{Zp}]+/gu, " ")
      .replace(hidden, ""),
    maxLength,
  );

/** Cleans text of several lines and cuts it to a number of characters; null if nothing is left. */
export const cleanText = (text: string, maxLength: number): string | null =>
  cut(
    text
      .slice(0, 4 * maxLength)
      .replace(/\r\n?|\p{Zl}|\p{Zp}/gu, "\n")
      .replace(hiddenInLines, ""),
    maxLength,
  );

const cut = (text: string, maxLength: number): string | null => {
  const trimmed = text.trim();
  // Cut between characters, not inside surrogate pairs.
  return trimmed === "" ? null : trimmed.length <= maxLength ? trimmed : [...trimmed].slice(0, maxLength).join("");
};
