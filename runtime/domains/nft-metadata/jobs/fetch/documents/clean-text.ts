/** Control and invisible characters that a terminal, page or table would interpret, and lone surrogates. Joiners inside emoji are kept. */
const hiddenInLine =
  /(?<!\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?!\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/gu;
const hiddenInMultilineText =
  /(?<!\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?![\u200d\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\ufffd]/gu;

/** Cleans a single line of text and truncates it to a maximum length; null if the result is empty. */
export const cleanLine = (text: string, maxLength: number): string | null =>
  truncate(
    text
      .slice(0, 4 * maxLength)
      .replace(/[\s\p{Zl}\p{Zp}]+/gu, " ")
      .replace(hiddenInLine, ""),
    maxLength,
  );

/** Cleans multi-line text and truncates it to a maximum length; null if the result is empty. */
export const cleanText = (text: string, maxLength: number): string | null =>
  truncate(
    text
      .slice(0, 4 * maxLength)
      .replace(/\r\n?|\p{Zl}|\p{Zp}/gu, "\n")
      .replace(hiddenInMultilineText, ""),
    maxLength,
  );

const truncate = (text: string, maxLength: number): string | null => {
  const trimmed = text.trim();
  // Truncates between characters, not inside surrogate pairs.
  return trimmed === "" ? null : trimmed.length <= maxLength ? trimmed : [...trimmed].slice(0, maxLength).join("");
};
